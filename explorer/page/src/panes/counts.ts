// SPDX-License-Identifier: MIT

/** The pane of the counts, beside the same shader without optimizations. */

import type { Comparison, Counts } from "../api";
import { byId, element, table } from "../dom";

/** Shows the counts of a module. */
export function countsPane(comparison: Comparison | null): void {
   if (!comparison) return byId("counts").replaceChildren(element("p", {}, "There is no module."));
   const { with: now, without } = comparison;
   const names = [...new Set([...now.classes, ...without.classes].map(({ name }) => name))];
   const of = (counts: Counts, name: string): number => counts.classes.find((row) => row.name === name)?.count ?? 0;
   const rows: [string, number, number][] = [
      ["words", now.words, without.words],
      ["instructions", now.instructions, without.instructions],
      ["OpLoad", now.loads, without.loads],
      ...names.map((name): [string, number, number] => [`${name} instructions`, of(now, name), of(without, name)]),
   ];
   const cells = rows.map(([name, a, b]) => [name, String(a), String(b), b ? (a / b).toFixed(2) : ""]);
   byId("counts").replaceChildren(
      table("The module for the default key", ["what", "with optimizations", "without", "ratio"], cells),
      element("p", { class: "note" }, "Without: one load for each lane, and no clean-up after the lowerings."),
   );
}
