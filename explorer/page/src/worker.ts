// SPDX-License-Identifier: MIT

/** The worker with the translator: it calls a function of the WebAssembly module for each message. */

import init, { compare, explore, link, opcode, plan, run, settings, shaders, template } from "ntv-explorer-wasm";
import type { Call, Reply } from "./engine";

const FUNCTIONS: Record<string, (argument: string) => string> = {
   settings: () => settings(),
   shaders,
   explore,
   compare,
   opcode,
   link,
   plan,
   run,
   template,
};

const loaded = init({ module_or_path: fetch(new URL("ntv_explorer_bg.wasm", import.meta.url)) });

async function answer({ id, name, argument }: Call): Promise<Reply> {
   const call = FUNCTIONS[name];
   if (!call) return { id, error: `there is no function ${name}` };
   try {
      await loaded;
      return { id, text: call(argument) };
   } catch (error) {
      return { id, error: `the translator has failed (${error instanceof Error ? error.message : String(error)})` };
   }
}

self.addEventListener("message", ({ data }: MessageEvent<Call>) => void answer(data).then((reply) => self.postMessage(reply)));
