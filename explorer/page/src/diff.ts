// SPDX-License-Identifier: MIT

/** The difference of two lists of lines, as one list. */

import { diffArrays } from "diff";
import type { ViewLine } from "./line-view";

/** The longest time of a comparison, in milliseconds. */
const LONGEST = 400;

/** The text of a line without the numbers of its values, which change in every line if one value is added. */
export function withoutNumbers(text: string): string {
   return text.replace(/%\d+/g, "%").replace(/\s+/g, " ");
}

/** What makes two lines equal. */
export type Sameness = (text: string) => string;

/** The lines of `after`, with those that `before` lacks as added, and between them the removed ones. */
export function compare(before: ViewLine[], after: ViewLine[], sameness: Sameness = withoutNumbers): ViewLine[] {
   const keys = (lines: ViewLine[]): string[] => lines.map((line) => sameness(line.text));
   const parts = diffArrays(keys(before), keys(after), { timeout: LONGEST });
   const marked = (lines: ViewLine[], change: "added" | "removed"): ViewLine[] => lines.map((line) => ({ ...line, change }));
   // It took too long: the texts have little in common.
   if (!parts) return [...marked(before, "removed"), ...marked(after, "added")];
   const out: ViewLine[] = [];
   let old = 0;
   let now = 0;
   for (const { added, removed, count } of parts) {
      if (removed) out.push(...marked(before.slice(old, old + count), "removed"));
      else if (added) out.push(...marked(after.slice(now, now + count), "added"));
      else out.push(...after.slice(now, now + count));
      if (!added) old += count;
      if (!removed) now += count;
   }
   return out;
}

/** The number of lines with a change. */
export function count(lines: ViewLine[], change: "added" | "removed"): number {
   return lines.filter((line) => line.change === change).length;
}
