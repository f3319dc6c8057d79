// SPDX-License-Identifier: MIT

/** Tabs by the pattern of WAI-ARIA: arrow keys, Home and End move between tabs, and only the chosen one is a tab stop. */

/** Connects the tabs of `list` with their panels, and calls `show` for each that is opened. */
export function tabs(list: HTMLElement, show: (id: string) => void): (id: string) => void {
   const all = [...list.querySelectorAll<HTMLButtonElement>("[role=tab]")];
   const choose = (id: string): void => {
      for (const tab of all) {
         const isChosen = tab.dataset["tab"] === id;
         tab.setAttribute("aria-selected", String(isChosen));
         tab.tabIndex = isChosen ? 0 : -1;
         const panel = document.getElementById(tab.getAttribute("aria-controls") ?? "");
         if (panel) panel.hidden = !isChosen;
      }
      show(id);
   };
   for (const [at, tab] of all.entries()) {
      tab.addEventListener("click", () => choose(tab.dataset["tab"] ?? ""));
      tab.addEventListener("keydown", (event) => {
         const steps: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 };
         const next = steps[event.key];
         if (next === undefined) return;
         event.preventDefault();
         const other = all.at(next % all.length);
         other?.focus();
         choose(other?.dataset["tab"] ?? "");
      });
   }
   return choose;
}
