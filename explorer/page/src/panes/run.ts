// SPDX-License-Identifier: MIT

/** The pane of the interpreter: the picture of a fragment shader, and tables of buffers, images and outputs. */

import type { Picture, RunAnswer } from "../api";
import { element, fillSelect, table } from "../dom";
import { type Results, type Rows, tables } from "../results";
import { problemList } from "./link";

/** The most rows of a table. */
const MOST = 256;

/** The ways to read words, with the names for users. */
const FORMS: [form: string, label: string][] = [
   ["given", "as in the inputs"],
   ["f32", "floats"],
   ["i32", "signed integers"],
   ["u32", "unsigned integers"],
   ["hex", "hexadecimal"],
];

function canvas({ width, height, rgba }: Picture): HTMLElement {
   const made = element("canvas", { width: String(width), height: String(height), role: "img", "aria-label": "The first target" });
   const bytes = Uint8ClampedArray.from(atob(rgba), (character) => character.charCodeAt(0));
   made.getContext("2d")?.putImageData(new ImageData(bytes, width, height), 0, 0);
   return made;
}

/** A word in a form; empty for none, and `undefined` where no instruction has defined it. */
function wordText(word: number | null | undefined, form: string): string {
   if (word === undefined) return "";
   if (word === null) return "undefined";
   const bytes = new DataView(new ArrayBuffer(4));
   bytes.setUint32(0, word);
   if (form === "f32") return String(Number(bytes.getFloat32(0).toPrecision(7)));
   if (form === "i32") return String(bytes.getInt32(0));
   return form === "hex" ? `0x${word.toString(16).padStart(8, "0")}` : String(word);
}

function view({ caption, columns, rows, form }: Rows, choice: string): HTMLElement {
   const shown = rows.slice(0, MOST).map(({ name, words, before }) => [
      name,
      // A last row may have fewer words.
      ...columns.slice(1).map((_, at) => {
         const word = words[at];
         const text = wordText(word, choice === "given" ? form : choice);
         return before && before[at] !== word ? element("b", { title: "changed by the run" }, text) : text;
      }),
   ]);
   const made = table(caption, columns, shown);
   made.classList.add("words");
   const more = rows.length - MOST;
   const note = more > 0 ? [element("p", { class: "note" }, `${more} more rows are in the JSON.`)] : [];
   const scrolled = element("div", { class: "scrolled", tabindex: "0", role: "group", "aria-label": caption }, made);
   return element("div", {}, scrolled, ...note);
}

/** The tables of a result, with a choice of the form of their words. */
function wordTables(all: Rows[]): HTMLElement[] {
   if (!all.length) return [];
   const select = element("select", {});
   fillSelect(select, FORMS, "given");
   const place = element("div", {});
   const show = (): void => place.replaceChildren(...all.map((rows) => view(rows, select.value)));
   select.addEventListener("change", show);
   show();
   return [element("label", { class: "row" }, "Words as ", select), place];
}

/** Shows the result of a run of stages with these names in `place`. `inputs` are those of the run; words that it changed are bold. */
export function showRun(place: HTMLElement, answer: RunAnswer, stages: string[], inputs: string): void {
   const found = answer.result ? tables(JSON.parse(answer.result) as Results, inputs) : [];
   const json = element("pre", { class: "result", tabindex: "0", "aria-label": "Result" }, answer.result);
   place.replaceChildren(
      ...(answer.problems.length ? [problemList(answer.problems, stages)] : []),
      ...(answer.picture ? [canvas(answer.picture)] : []),
      ...wordTables(found),
      ...(answer.result ? [element("details", {}, element("summary", {}, "All results as JSON"), json)] : []),
   );
}
