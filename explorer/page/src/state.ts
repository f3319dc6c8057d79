// SPDX-License-Identifier: MIT

/** What the user sees, as one value: a link holds it. */

import type { Options, Request, Settings, Side, Target } from "./api";

/** The state of the page. */
export interface State {
   /** The dump or the log in the editor. */
   text: string;
   /** The number of the chosen shader in it, from 0. */
   shader: number;
   target: Target;
   options: Options;
   /** The key, as `ntv variant --key` takes it. */
   key: string;
   /** The open tab. */
   tab: string;
   /** Another text with stages for a link, a plan or a run; may be empty. */
   other: string;
   /** The choices of stages for these: see `stages.ts`. A stage without one is chosen by the program of the chosen shader. */
   picked: string[];
   /** The target and the key of the module that is compared with that of the switches. */
   right: Side;
   /** Limits of a device for the plan, as JSON; may be empty. */
   limits: string;
   /** Inputs of the interpreter, as JSON; those of the template if it is empty. */
   inputs: string;
}

/** The state without a link. */
export function initial(settings: Settings): State {
   const target = (preset: string | undefined): Target => ({ preset: preset ?? "", enable: [], disable: [], workarounds: [] });
   return {
      text: settings.examples[0]?.text ?? "",
      shader: 0,
      target: target(settings.presets.at(-1)),
      options: { lane_access: false, names: false, uniform_ranges_in_vec4s: false, captures: "extension" },
      key: "",
      tab: "passes",
      other: "",
      picked: [],
      right: { target: target(settings.presets[0]), key: "" },
      limits: "",
      inputs: "",
   };
}

/** The parts of `found` that have the types of a state, in `base`. Throws if `found` has another type in one of them. */
export function restored(base: State, found: unknown): State {
   return merged(base, found, "the state") as State;
}

function merged(base: unknown, found: unknown, what: string): unknown {
   if (found === undefined) return base;
   if (Array.isArray(base)) {
      if (Array.isArray(found) && found.every((it) => typeof it === "string")) return found;
      throw new Error(`${what} is not a list of names`);
   }
   if (typeof base !== "object" || base === null) {
      if (typeof found === typeof base) return found;
      throw new Error(`${what} is not a ${typeof base}`);
   }
   if (typeof found !== "object" || found === null || Array.isArray(found)) throw new Error(`${what} is not an object`);
   const parts = found as Record<string, unknown>;
   return Object.fromEntries(Object.entries(base).map(([name, value]) => [name, merged(value, parts[name], name)]));
}

/** The request for the translation. */
export function requestOf({ text, shader, target, options, key }: State): Request {
   return { text, shader, target, options, key };
}
