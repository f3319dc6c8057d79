// SPDX-License-Identifier: MIT

/** The pane of the plans: the class of each uniform block, and the captures of transform feedback, with the reasons. */

import type { PlanAnswer } from "../api";
import { element, table } from "../dom";
import { problemList } from "./link";

/** Shows plans for stages with these names in `place`. */
export function showPlan(place: HTMLElement, answer: PlanAnswer, stages: string[]): void {
   const blocks = answer.blocks.map((row) => [
      row.block,
      row.read_by.replaceAll("MESA_SHADER_", "").toLowerCase(),
      row.class,
      String(row.bytes),
      String(row.dynamic),
      [row.why, ...row.moves.map((move) => `would move ${move}`)].join("; "),
   ]);
   const captures = answer.captures.map((row) => [
      row.output,
      row.stage.replace("MESA_SHADER_", "").toLowerCase(),
      String(row.buffer),
      String(row.offset),
      String(row.stride),
      String(row.stream),
   ]);
   const wide = (child: HTMLElement): HTMLElement => element("div", { class: "wide" }, child);
   place.replaceChildren(
      ...(answer.problems.length ? [problemList(answer.problems, stages)] : []),
      blocks.length
         ? wide(table("Uniform blocks", ["block", "read by", "class", "bytes", "dynamic", "why"], blocks))
         : element("p", {}, "No stage reads a uniform block."),
      captures.length
         ? wide(table("Captures", ["output", "stage", "buffer", "byte", "stride", "stream"], captures))
         : element("p", {}, "No stage has captures for transform feedback."),
   );
}
