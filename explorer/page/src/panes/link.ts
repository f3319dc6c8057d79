// SPDX-License-Identifier: MIT

/** The pane of a link: what goes, what moves, and each stage before and after it. */

import type { LinkAnswer, LinkedStage, SpirvLine, StageProblem } from "../api";
import { compare } from "../diff";
import { element } from "../dom";
import { spirv } from "../language";
import { LineView, type ViewLine } from "../line-view";

/** The list of the problems of stages with these names; other problems are those of the whole program. */
export function problemList(problems: StageProblem[], stages: string[]): HTMLElement {
   const line = ({ stage, problem }: StageProblem): string => {
      const place = [stages[stage], problem.line ? `line ${problem.line}` : ""].filter(Boolean).join(", ");
      return place ? `${place}: ${problem.message}` : problem.message;
   };
   return element("ul", { class: "error" }, ...problems.map((problem) => element("li", {}, line(problem))));
}

function varyings(stage: LinkedStage): HTMLElement {
   const rows = stage.varyings.map((varying) => {
      const isMoved = !varying.removed && !varying.builtin && varying.before !== varying.after;
      const row = element("tr", { class: varying.removed ? "gone" : isMoved ? "moved" : "" });
      const fate = varying.removed ? "removed" : isMoved ? "moves" : "stays";
      row.append(
         element("th", { scope: "row" }, varying.is_output ? "output" : "input"),
         element("td", {}, varying.text),
         element("td", {}, fate),
      );
      return row;
   });
   const head = ["direction", "varying", "link"].map((name) => element("th", { scope: "col" }, name));
   return element(
      "table",
      {},
      element("caption", {}, `Inputs and outputs of the ${stage.stage} stage`),
      element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...rows),
   );
}

const lines = (of: SpirvLine[]): ViewLine[] => of.map(({ text, origin }) => ({ text, origin }));

/** Shows a link of stages with these names in `place`. The views that it makes are in `views`. */
export function showLink(place: HTMLElement, answer: LinkAnswer, stages: string[], views: LineView[]): void {
   place.replaceChildren();
   if (answer.problems.length) place.append(problemList(answer.problems, stages));
   for (const stage of answer.stages) {
      const editor = element("div", { class: "editor" });
      place.append(element("div", { class: "wide" }, varyings(stage)), element("div", { class: "small" }, editor));
      const view = new LineView(editor, `SPIR-V of the ${stage.stage} stage, before and after the link`, spirv, "spirv");
      // A link does not change ids, so that a moved location is one of the same id.
      view.show(compare(lines(stage.before), lines(stage.after), (text) => text));
      view.reveal((line) => line.change !== undefined);
      views.push(view);
   }
}
