// SPDX-License-Identifier: MIT

/** Separators between the panes: the pointer drags them, and arrow keys move them, by the pattern of WAI-ARIA. */

import { element } from "./dom";

/** The smallest part of the page that a pane has, in percent. */
const LEAST = 12;

/** One step of an arrow key, in percent. */
const STEP = 2;

/** The parts of the panes at the start, in percent: the middle one has most controls. */
const PARTS = [31, 38, 31];

/** The width of the column of a separator. */
const SEPARATOR = "1px";

/** Puts a separator after each pane of `main` but the last one. */
export function movable(main: HTMLElement): void {
   const panes = [...main.querySelectorAll<HTMLElement>(":scope > section")];
   const parts = panes.map((_, at) => PARTS[at] ?? 100 / panes.length);
   const separators = panes.slice(0, -1).map((pane) => {
      const name = pane.querySelector("h2")?.textContent ?? "";
      const separator = element("div", { role: "separator", tabindex: "0", "aria-orientation": "vertical", "aria-label": `Width of ${name}` });
      pane.after(separator);
      return separator;
   });
   const show = (): void => {
      main.style.setProperty("--panes", parts.map((part) => `minmax(0, ${part}fr)`).join(` ${SEPARATOR} `));
      for (const [at, separator] of separators.entries()) {
         const both = (parts[at] ?? 0) + (parts[at + 1] ?? 0);
         separator.setAttribute("aria-valuemin", String(LEAST));
         separator.setAttribute("aria-valuemax", String(Math.round(both - LEAST)));
         separator.setAttribute("aria-valuenow", String(Math.round(parts[at] ?? 0)));
      }
   };
   /** Gives the pane before separator `at` a part of the page; the pane after it gets the rest of both. */
   const move = (at: number, wanted: number): void => {
      const both = (parts[at] ?? 0) + (parts[at + 1] ?? 0);
      parts[at] = Math.min(Math.max(wanted, LEAST), both - LEAST);
      parts[at + 1] = both - parts[at];
      show();
   };
   for (const [at, separator] of separators.entries()) {
      separator.addEventListener("keydown", (event) => {
         const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
         if (step === undefined) return;
         event.preventDefault();
         move(at, (parts[at] ?? 0) + step);
      });
      separator.addEventListener("pointerdown", (event) => separator.setPointerCapture(event.pointerId));
      separator.addEventListener("pointermove", (event) => {
         if (!separator.hasPointerCapture(event.pointerId)) return;
         const left = panes[at]?.getBoundingClientRect().left ?? 0;
         const all = panes.reduce((sum, pane) => sum + pane.getBoundingClientRect().width, 0);
         move(at, ((event.clientX - left) / all) * 100);
      });
   }
   show();
}
