// SPDX-License-Identifier: MIT

/** The pane of the SPIR-V. What a switch changed since the last edit is marked in place. */

import type { Spirv } from "../api";
import { compare, count } from "../diff";
import { byId } from "../dom";
import { spirv } from "../language";
import { LineView, type ViewLine } from "../line-view";

/** The SPIR-V of the last translation. */
export class SpirvPane {
   private readonly view = new LineView(byId("spirv"), "SPIR-V assembly", spirv, "spirv");
   /** The lines with which the shown ones are compared. */
   private baseline: ViewLine[] | null = null;
   private lines: ViewLine[] = [];

   constructor() {
      byId("forget").addEventListener("click", () => {
         this.baseline = this.lines;
         this.render();
      });
   }

   /** The next module is not compared: its shader is another one. */
   startAnew(): void {
      this.baseline = null;
   }

   /** Shows a module, or nothing. */
   show(module: Spirv | null): void {
      this.lines = (module?.lines ?? []).map(({ text, origin, changed_by_key: keyed }) => ({ text, origin, keyed }));
      if (module) this.baseline ??= this.lines;
      byId("words").textContent = module ? `${wordCount(module)} words` : "There is no module: see the problems.";
      this.render();
   }

   private render(): void {
      // After an edit, the lines are the baseline themselves.
      const old = this.baseline === this.lines ? null : this.baseline;
      const shown = old && this.lines.length ? compare(old, this.lines) : this.lines;
      const [added, removed] = [count(shown, "added"), count(shown, "removed")];
      byId("changes").hidden = !added && !removed;
      byId("changes-text").textContent = `Since the last edit, the switches added ${added} lines and removed ${removed}.`;
      this.view.show(shown);
      if (added || removed) this.view.reveal((line) => line.change !== undefined);
   }
}

/** The number of words of a module, whose bytes are in base64. */
export function wordCount({ words }: Spirv): number {
   const padding = words.endsWith("==") ? 2 : words.endsWith("=") ? 1 : 0;
   return ((words.length / 4) * 3 - padding) / 4;
}
