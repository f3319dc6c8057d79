// SPDX-License-Identifier: MIT

/** The pane of the interpreter: buffers as JSON, and the picture of a fragment shader. */

import type { Picture, RunAnswer } from "../api";
import { element } from "../dom";
import { problemList } from "./link";

function canvas({ width, height, rgba }: Picture): HTMLElement {
   const made = element("canvas", { width: String(width), height: String(height), role: "img", "aria-label": "The first target" });
   const bytes = Uint8ClampedArray.from(atob(rgba), (character) => character.charCodeAt(0));
   made.getContext("2d")?.putImageData(new ImageData(bytes, width, height), 0, 0);
   return made;
}

/** Shows the result of a run in `place`. */
export function showRun(place: HTMLElement, answer: RunAnswer): void {
   place.replaceChildren(
      ...(answer.problems.length ? [problemList(answer.problems)] : []),
      ...(answer.picture ? [canvas(answer.picture)] : []),
      ...(answer.result
         ? [element("pre", { class: "result", tabindex: "0", "aria-label": "Result" }, answer.result)]
         : []),
   );
}
