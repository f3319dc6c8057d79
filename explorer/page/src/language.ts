// SPDX-License-Identifier: MIT

/** Colours of NIR and of SPIR-V assembly. Both are read line by line, so a tokenizer without states is enough. */

import { HighlightStyle, StreamLanguage, type StringStream, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { tags } from "@lezer/highlight";

/** A pattern at the position of the reader, and the name of its colour. */
type Rule = [pattern: RegExp, token: string | null];

const COMMON: Rule[] = [
   [/\s+/, null],
   [/"(?:[^"\\]|\\.)*"?/, "string"],
   [/%[\w.]+|\bssa_\d+|\br\d+\b/, "variableName"],
   [/-?(?:0x[\da-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\b/, "number"],
];

const NIR: Rule[] = [
   [/\/\/.*/, "comment"],
   [/;.*/, "comment"],
   ...COMMON,
   [/@\w+/, "macroName"],
   [/(?:shader|decl_\w+|impl|block|if|else|loop|continue|break|return|con|div|preds|succs)\b/, "keyword"],
   [/(?:vec|ivec|uvec|mat|float|int|uint|bool|sampler|image|texture)\w*/, "typeName"],
   [/[A-Z][A-Z\d_]{2,}/, "atom"],
   [/[a-z_][\w.]*/, "name"],
];

const SPIRV: Rule[] = [[/;.*/, "comment"], ...COMMON, [/Op[A-Z]\w*/, "keyword"], [/[A-Z]\w*/, "atom"], [/\w+/, "name"]];

function language(name: string, rules: Rule[]): Extension {
   const token = (stream: StringStream): string | null => {
      for (const [pattern, kind] of rules) {
         if (stream.match(pattern)) return kind;
      }
      stream.next();
      return null;
   };
   return StreamLanguage.define({ name, token });
}

/** The colours are variables of the style sheet, which has them for light and dark. */
const COLOURS = HighlightStyle.define([
   { tag: tags.comment, color: "var(--comment)" },
   { tag: tags.string, color: "var(--string)" },
   { tag: tags.number, color: "var(--number)" },
   { tag: [tags.keyword, tags.propertyName], color: "var(--keyword)" },
   { tag: [tags.typeName, tags.bool, tags.null], color: "var(--type)" },
   { tag: tags.macroName, color: "var(--intrinsic)" },
   { tag: tags.atom, color: "var(--type)" },
   { tag: tags.variableName, color: "var(--value)" },
]);

export const colours = syntaxHighlighting(COLOURS);
export const nir = language("nir", NIR);
export const spirv = language("spirv", SPIRV);
