// SPDX-License-Identifier: MIT

/** A view of lines that cannot be edited: a pass, or SPIR-V. It marks the lines that came of the marked line of the input. */

import { defaultKeymap } from "@codemirror/commands";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, keymap, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { type Language, opcodes } from "./documentation";
import { colours } from "./language";
import { marks } from "./marks";

/** The style sheets of CodeMirror are allowed by this nonce of the content security policy. */
export const nonce = EditorView.cspNonce.of("codemirror");

/** How a line differs from the text that a view is compared with. */
export type Change = "added" | "removed";

/** A line of a view. */
export interface ViewLine {
   text: string;
   /** The line of the input that it came of, counted from 1. */
   origin: number | null;
   change?: Change | undefined;
   /** The line depends on the key. */
   keyed?: boolean | undefined;
}

const setLines = StateEffect.define<ViewLine[]>();
const setMark = StateEffect.define<number | null>();

const linesField = StateField.define<ViewLine[]>({
   create: () => [],
   update(lines, transaction) {
      for (const effect of transaction.effects) if (effect.is(setLines)) lines = effect.value;
      return lines;
   },
});

/** The marked line of the input. */
export const markField = StateField.define<number | null>({
   create: () => null,
   update(mark, transaction) {
      for (const effect of transaction.effects) if (effect.is(setMark)) mark = effect.value;
      return mark;
   },
});

/** A plugin that gives each visible line the classes that `classes` returns for its number, counted from 1. */
export function lineClasses(classes: (state: EditorState, line: number) => string): Extension {
   const build = (view: EditorView): DecorationSet => {
      const builder = new RangeSetBuilder<Decoration>();
      for (const { from, to } of view.visibleRanges) {
         for (let at = from; at <= to; ) {
            const line = view.state.doc.lineAt(at);
            const found = classes(view.state, line.number);
            if (found) builder.add(line.from, line.from, Decoration.line({ class: found }));
            at = line.to + 1;
         }
      }
      return builder.finish();
   };
   return ViewPlugin.fromClass(
      class {
         decorations: DecorationSet;
         constructor(view: EditorView) {
            this.decorations = build(view);
         }
         update(update: ViewUpdate): void {
            const isStale = update.docChanged || update.viewportChanged || update.transactions.some((it) => it.effects.length > 0);
            if (isStale) this.decorations = build(update.view);
         }
      },
      { decorations: (plugin) => plugin.decorations },
   );
}

/** Marks by the pointer and by the cursor. `originOf` has the line of the input for a line of the view. */
export function marking(originOf: (state: EditorState, line: number) => number | null): Extension {
   const below = (view: EditorView, event: MouseEvent): number | null => {
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
      return at === null ? null : originOf(view.state, view.state.doc.lineAt(at).number);
   };
   return [
      markField,
      EditorView.domEventHandlers({
         mousemove: (event, view) => marks.hover(below(view, event)),
         mouseleave: () => marks.hover(null),
      }),
      EditorView.updateListener.of((update) => {
         if (!update.transactions.some((it) => it.isUserEvent("select"))) return;
         const cursor = update.state.selection.main.head;
         marks.pin(originOf(update.state, update.state.doc.lineAt(cursor).number));
      }),
   ];
}

/** Shows the mark of the page in `view`. A mark that stays is scrolled to, unless the user is in this view. */
export function followMark(view: EditorView, originsOf: () => (number | null)[]): () => void {
   return marks.listen((mark, isPinned) => {
      view.dispatch({ effects: setMark.of(mark) });
      if (!isPinned || mark === null || view.hasFocus) return;
      const first = originsOf().indexOf(mark);
      if (first < 0 || first >= view.state.doc.lines) return;
      view.dispatch({ effects: EditorView.scrollIntoView(view.state.doc.line(first + 1).from, { y: "center" }) });
   });
}

function classesOf(state: EditorState, number: number): string {
   const line = state.field(linesField)[number - 1];
   if (!line) return "";
   const classes = [];
   if (line.change) classes.push(`line-${line.change}`);
   if (line.keyed) classes.push("line-keyed");
   if (line.origin !== null && line.origin === state.field(markField)) classes.push("line-marked");
   return classes.join(" ");
}

/** Replaces the text of `view`, without the parts at both ends that stay the same, so that it keeps its place. */
export function replaceText(view: EditorView, text: string, effects: StateEffect<unknown>[] = []): void {
   const old = view.state.doc.toString();
   const most = Math.min(old.length, text.length);
   let start = 0;
   while (start < most && old.charCodeAt(start) === text.charCodeAt(start)) start++;
   let end = 0;
   while (end < most - start && old.charCodeAt(old.length - 1 - end) === text.charCodeAt(text.length - 1 - end)) end++;
   const changes = { from: start, to: old.length - end, insert: text.slice(start, text.length - end) };
   view.dispatch({ changes, effects });
}

/** A view of lines. */
export class LineView {
   readonly view: EditorView;
   private lines: ViewLine[] = [];
   private readonly stop: () => void;

   /** `label` names the view for screen readers, and `name` the language, whose opcodes have documentation. */
   constructor(parent: Element, label: string, language: Extension, name: Language) {
      const extensions = [
         EditorState.readOnly.of(true),
         linesField,
         marking((state, line) => state.field(linesField)[line - 1]?.origin ?? null),
         lineClasses(classesOf),
         language,
         colours,
         nonce,
         search({ top: true }),
         opcodes(name),
         keymap.of([...defaultKeymap, ...searchKeymap]),
         EditorView.contentAttributes.of({ "aria-label": label, "aria-readonly": "true", inputmode: "none", tabindex: "0" }),
      ];
      this.view = new EditorView({ parent, extensions });
      this.stop = followMark(this.view, () => this.lines.map((line) => line.origin));
   }

   /** Shows `lines` in place of the former ones. */
   show(lines: ViewLine[]): void {
      this.lines = lines;
      const effects = [setLines.of(lines), setMark.of(marks.line)];
      replaceText(this.view, lines.map((line) => line.text.replace(/[\r\n]/g, " ")).join("\n"), effects);
   }

   /** Scrolls to the first line for which `is` is true. */
   reveal(is: (line: ViewLine) => boolean): void {
      const first = this.lines.findIndex(is);
      if (first < 0) return;
      this.view.dispatch({ effects: EditorView.scrollIntoView(this.view.state.doc.line(first + 1).from, { y: "center" }) });
   }

   /** Removes the view. */
   remove(): void {
      this.stop();
      this.view.destroy();
   }
}
