// SPDX-License-Identifier: MIT

/** Light and dark: the choice of the system, unless the user chose one. */

const KEY = "ntv-theme";

/** Connects the choice of a theme in the header, and applies the stored one. */
export function themeChoice(select: HTMLSelectElement): void {
   const apply = (theme: string): void => {
      if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
      else delete document.documentElement.dataset["theme"];
   };
   select.value = stored() ?? "auto";
   apply(select.value);
   select.addEventListener("change", () => {
      apply(select.value);
      store(select.value);
   });
}

/** Browsers that refuse storage keep no choice. */
function stored(): string | null {
   try {
      const theme = localStorage.getItem(KEY);
      return theme === "light" || theme === "dark" ? theme : null;
   } catch {
      return null;
   }
}

function store(theme: string): void {
   try {
      localStorage.setItem(KEY, theme);
   } catch {
      return;
   }
}
