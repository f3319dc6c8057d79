// SPDX-License-Identifier: MIT

/** Creates and finds elements. */

type Child = Node | string;

/** An element with attributes and children. An attribute with `false` is left out. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
   tag: Tag,
   attributes: Record<string, string | boolean> = {},
   ...children: Child[]
): HTMLElementTagNameMap[Tag] {
   const made = document.createElement(tag);
   for (const [name, value] of Object.entries(attributes)) {
      if (value !== false) made.setAttribute(name, value === true ? "" : value);
   }
   made.append(...children);
   return made;
}

/** The element of index.html with an id. */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
   const found = document.getElementById(id);
   if (!found) throw new Error(`index.html has no element ${id}`);
   return found as Kind;
}

/** A table with a caption and a header for each column. The first cell of a row is its header. */
export function table(caption: string, columns: string[], rows: Child[][]): HTMLTableElement {
   const head = element("tr", {}, ...columns.map((name) => element("th", { scope: "col" }, name)));
   const body = rows.map((row) =>
      element("tr", {}, ...row.map((cell, at) => (at ? element("td", {}, cell) : element("th", { scope: "row" }, cell)))),
   );
   return element(
      "table",
      {},
      element("caption", {}, caption),
      element("thead", {}, head),
      element("tbody", {}, ...body),
   );
}

/** A labelled checkbox. `hint` is the text below it. */
export function checkbox(label: string, isChecked: boolean, hint: string, change: (checked: boolean) => void): HTMLElement {
   const input = element("input", { type: "checkbox", checked: isChecked });
   input.addEventListener("change", () => change(input.checked));
   const text = element("span", {}, label);
   if (hint) text.append(element("small", {}, hint));
   return element("label", { class: "switch" }, input, text);
}

/** The options of a select element. */
export function fillSelect(select: HTMLSelectElement, options: [value: string, label: string][], chosen?: string): void {
   select.replaceChildren(...options.map(([value, label]) => element("option", { value, selected: value === chosen }, label)));
}

/** Says `text` to the user; screen readers announce it. */
export function say(text: string, isError = false): void {
   const status = byId("status");
   status.textContent = text;
   status.classList.toggle("error", isError);
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
   return error instanceof Error ? error.message : String(error);
}
