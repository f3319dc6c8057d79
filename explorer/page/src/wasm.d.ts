// SPDX-License-Identifier: MIT

/** The functions of the crate `ntv-explorer`, which wasm-bindgen writes: JSON text in and out. */
declare module "ntv-explorer-wasm" {
   /** Loads the translator. */
   export default function init(options: { module_or_path: URL | Response | Promise<Response> }): Promise<unknown>;
   export function settings(): string;
   export function shaders(text: string): string;
   export function explore(request: string): string;
   export function compare(request: string): string;
   export function opcode(name: string): string;
   export function link(request: string): string;
   export function plan(request: string): string;
   export function run(request: string): string;
   export function template(request: string): string;
}
