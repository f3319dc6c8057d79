// SPDX-License-Identifier: MIT

/** The documentation of an opcode: below the pointer, or for the one at the cursor with F1. */

import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { type EditorView, hoverTooltip, keymap, showTooltip, type Tooltip } from "@codemirror/view";
import type { Opcode } from "./api";
import { element } from "./dom";
import type { Engine } from "./engine";

/** The language of a text. */
export type Language = "nir" | "spirv";

/** A word of a line with its columns, and the name by which the translator knows it. */
interface Found {
   name: string;
   from: number;
   to: number;
}

/** What is before the name of an ALU or a texture operation of NIR: the result, and perhaps a type in brackets. */
const RESULT = /=\s*(?:\(\w+\)\s*)?$/;

/** The opcode at a column of a line. Only the place of a word tells `vec4`, the operation, from `vec4`, the type. */
export function opcodeAt(language: Language, line: string, column: number): Found | null {
   for (const match of line.matchAll(/@?[A-Za-z_]\w*/g)) {
      const [word] = match;
      const [from, to] = [match.index, match.index + word.length];
      if (column < from || column > to) continue;
      const before = line.slice(0, from);
      if (language === "spirv") {
         const isKnown = word.startsWith("Op") || before.includes("OpExtInst ");
         return isKnown ? { name: word, from, to } : null;
      }
      if (word.startsWith("@")) return { name: word, from, to };
      // Dumps before Mesa 24 have the word before the name.
      if (/\bintrinsic\s+$/.test(before)) return { name: `@${word}`, from, to };
      return RESULT.test(before) ? { name: word, from, to } : null;
   }
   return null;
}

function view(opcode: Opcode): HTMLElement {
   const facts = opcode.facts.flatMap(({ name, text }) => [element("dt", {}, name), element("dd", {}, text.replaceAll("`", ""))]);
   const link = opcode.link;
   const place = link === null ? [] : [element("a", { href: link, target: "_blank", rel: "noopener noreferrer" }, "Specification")];
   const head = element("p", {}, element("b", {}, opcode.name), ` ${opcode.what}`);
   return element("div", { class: "opcode", role: "tooltip" }, head, element("dl", {}, ...facts), ...place);
}

/** The documentation of all opcodes, which the translator has. */
class Documentation {
   private readonly known = new Map<string, Promise<Opcode | null>>();
   /** The translator; without one, there is no documentation. */
   engine: Engine | null = null;

   /** The tooltip for the opcode at a position of a view. */
   async tooltip(language: Language, editor: EditorView, at: number): Promise<Tooltip | null> {
      const line = editor.state.doc.lineAt(at);
      const found = opcodeAt(language, line.text, at - line.from);
      const opcode = found && (await this.find(found.name));
      if (!found || !opcode) return null;
      return { pos: line.from + found.from, end: line.from + found.to, above: true, create: () => ({ dom: view(opcode) }) };
   }

   private find(name: string): Promise<Opcode | null> {
      const found = this.known.get(name) ?? this.ask(name);
      this.known.set(name, found);
      return found;
   }

   private async ask(name: string): Promise<Opcode | null> {
      try {
         return (await this.engine?.ask<Opcode | null>("opcode", name)) ?? null;
      } catch {
         // The next question is another try.
         this.known.delete(name);
         return null;
      }
   }
}

/** The documentation of the page. */
export const documentation = new Documentation();

const setTooltip = StateEffect.define<Tooltip | null>();

/** The tooltip that F1 opened. It closes when the cursor moves. */
const tooltipField = StateField.define<Tooltip | null>({
   create: () => null,
   update(tooltip, transaction) {
      for (const effect of transaction.effects) if (effect.is(setTooltip)) return effect.value;
      return transaction.docChanged || transaction.selection ? null : tooltip;
   },
   provide: (field) => showTooltip.from(field),
});

/** Shows the documentation of opcodes in a view. */
export function opcodes(language: Language): Extension {
   const open = (editor: EditorView): boolean => {
      const at = editor.state.selection.main.head;
      void documentation.tooltip(language, editor, at).then((tooltip) => {
         if (editor.state.selection.main.head === at) editor.dispatch({ effects: setTooltip.of(tooltip) });
      });
      return true;
   };
   const close = (editor: EditorView): boolean => {
      if (!editor.state.field(tooltipField)) return false;
      editor.dispatch({ effects: setTooltip.of(null) });
      return true;
   };
   return [
      tooltipField,
      hoverTooltip((editor, at) => documentation.tooltip(language, editor, at)),
      keymap.of([
         { key: "F1", run: open, preventDefault: true },
         { key: "Escape", run: close },
      ]),
   ];
}
