// SPDX-License-Identifier: MIT

/** The pane of the input: an editor whose problems are underlined, and the list of the shaders of a log. */

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { search, searchKeymap } from "@codemirror/search";
import type { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import type { Entry, Problem } from "../api";
import { byId, element, fillSelect } from "../dom";
import { opcodes } from "../documentation";
import { colours, nir } from "../language";
import { followMark, lineClasses, markField, marking, nonce } from "../line-view";
import { marks } from "../marks";
import { stageName } from "../stages";

/** The place of a problem in the text. */
function range(state: EditorState, { line, column, length }: Problem): { from: number; to: number } {
   const found = state.doc.line(Math.min(Math.max(line, 1), state.doc.lines));
   if (!column) return { from: found.from, to: found.to };
   // Columns count characters, and CodeMirror counts units of UTF-16.
   const characters = [...found.text];
   const start = characters.slice(0, column - 1).join("").length;
   const end = characters.slice(0, column - 1 + length).join("").length;
   return { from: found.from + start, to: Math.min(found.from + Math.max(end, start + 1), found.to) };
}

/** The pane of the input. */
export class NirPane {
   readonly view: EditorView;

   /** `edit` gets each new text, and `choose` the number of a chosen shader. */
   constructor(text: string, edit: (text: string) => void, choose: (shader: number) => void) {
      const extensions = [
         lineNumbers(),
         history(),
         nir,
         colours,
         nonce,
         lintGutter(),
         search({ top: true }),
         opcodes("nir"),
         keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
         marking((_, line) => line),
         lineClasses((state, line) => (state.field(markField) === line ? "line-marked" : "")),
         EditorView.contentAttributes.of({ "aria-label": "NIR", tabindex: "0" }),
         EditorView.updateListener.of((update) => {
            if (update.docChanged) edit(update.state.doc.toString());
         }),
      ];
      this.view = new EditorView({ doc: text, parent: byId("nir"), extensions });
      followMark(this.view, () => Array.from({ length: this.view.state.doc.lines }, (_, at) => at + 1));
      byId<HTMLSelectElement>("shaders").addEventListener("change", (event) => {
         choose(Number((event.target as HTMLSelectElement).value));
      });
   }

   /** Replaces the text. */
   setText(text: string): void {
      marks.pin(null);
      this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
   }

   /** Shows the list of the shaders of a log; a text with one shader has no list. */
   showShaders(entries: Entry[], chosen: number): void {
      byId("shader-list").hidden = entries.length < 2;
      const label = (entry: Entry): string => {
         const stage = stageName(entry.stage);
         return `line ${entry.first_line}: ${stage} ${entry.name}${entry.ok ? "" : " (has errors)"}`;
      };
      fillSelect(
         byId("shaders"),
         entries.map((entry, number) => [String(number), label(entry)]),
         String(chosen),
      );
   }

   /** Underlines problems, and lists them below the editor. */
   showProblems(problems: Problem[]): void {
      const state = this.view.state;
      const diagnostic = (problem: Problem): Diagnostic => ({
         ...range(state, problem),
         severity: "error",
         message: problem.message,
      });
      const placed = problems.filter((problem) => problem.line > 0);
      this.view.dispatch(setDiagnostics(state, placed.map(diagnostic)));
      byId("problems").replaceChildren(
         ...(problems.length ? [element("ul", {}, ...problems.map((problem) => this.item(problem)))] : []),
      );
   }

   private item(problem: Problem): HTMLElement {
      const place = problem.line ? `line ${problem.line}${problem.column ? `, column ${problem.column}` : ""}: ` : "";
      const button = element("button", { type: "button" }, `${place}${problem.message}`);
      button.addEventListener("click", () => {
         const { from } = range(this.view.state, problem);
         this.view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
         this.view.focus();
      });
      const help = problem.help === null ? [] : [element("p", { class: "help" }, problem.help)];
      return element("li", {}, button, ...help);
   }
}
