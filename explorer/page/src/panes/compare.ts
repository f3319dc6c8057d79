// SPDX-License-Identifier: MIT

/** The pane of a comparison: the module of the switches beside that for another target or another key. */

import type { CompareAnswer, CompareRequest, ComparedLine, Settings } from "../api";
import { byId, checkbox, element, fillSelect, messageOf, say } from "../dom";
import { type Engine, Latest } from "../engine";
import { spirv } from "../language";
import { LineView, type ViewLine } from "../line-view";
import type { State } from "../state";

/** The equal lines around a difference. */
const AROUND = 3;

/** A line of each side; one that a side does not have is empty there. */
type Pair = [left: ViewLine, right: ViewLine];

const EMPTY: ViewLine = { text: "", origin: null };

/** Pairs of lines: lines that only the left side has are beside those that only the right side has. */
export function pairs(lines: ComparedLine[]): Pair[] {
   const found: Pair[] = [];
   let [removed, added]: [ViewLine[], ViewLine[]] = [[], []];
   const flush = (): void => {
      const count = Math.max(removed.length, added.length);
      for (let at = 0; at < count; at++) found.push([removed[at] ?? EMPTY, added[at] ?? EMPTY]);
      [removed, added] = [[], []];
   };
   for (const { left, right } of lines) {
      if (left !== null && right !== null) {
         flush();
         found.push([{ text: left, origin: null }, { text: right, origin: null }]);
      } else if (left !== null) removed.push({ text: left, origin: null, change: "removed" });
      else added.push({ text: right ?? "", origin: null, change: "added" });
   }
   flush();
   return found;
}

/** The pairs with differences, and some around them. */
function near(all: Pair[]): Pair[] {
   const differs = all.map(([left, right]) => left.change !== undefined || right.change !== undefined);
   const found: Pair[] = [];
   let last = -1;
   for (const [at, pair] of all.entries()) {
      if (!differs.slice(Math.max(at - AROUND, 0), at + AROUND + 1).includes(true)) continue;
      if (last + 1 !== at) found.push([{ text: "…", origin: null }, { text: "…", origin: null }]);
      found.push(pair);
      last = at;
   }
   if (found.length && last + 1 !== all.length) found.push([{ text: "…", origin: null }, { text: "…", origin: null }]);
   return found;
}

/** The names in a list with commas. */
function names(text: string): string[] {
   return text.split(",").map((name) => name.trim()).filter(Boolean);
}

/** The pane. It compares while its tab is open. */
export class ComparePane {
   private readonly latest = new Latest();
   private readonly note = element("p", { class: "note", role: "status" });
   private readonly errors = element("ul", { class: "error" });
   private readonly left: LineView;
   private readonly right: LineView;
   private isOpen = false;
   private hasAll = false;
   private pairs: Pair[] = [];

   constructor(
      private readonly engine: Engine,
      private readonly state: State,
      settings: Settings,
   ) {
      const sides = ["Left: the switches", "Right: the fields above"].map((name) => {
         const editor = element("div", { class: "editor" });
         return { section: element("div", { class: "side" }, element("h3", {}, name), editor), editor, name };
      });
      const all = checkbox("Show all lines", this.hasAll, "", (isOn) => {
         this.hasAll = isOn;
         this.showLines();
      });
      byId("compare").replaceChildren(
         this.fields(settings),
         element("div", { class: "row" }, this.wide(), all),
         this.note,
         this.errors,
         element("div", { class: "sides" }, ...sides.map(({ section }) => section)),
      );
      const [left, right] = sides.map(({ editor, name }) => new LineView(editor, `SPIR-V, ${name.toLowerCase()}`, spirv, "spirv"));
      if (!left || !right) throw new Error("a comparison has two sides");
      [this.left, this.right] = [left, right];
      follow(left, right);
      follow(right, left);
   }

   /** Whether the tab is open. */
   setOpen(isOpen: boolean): void {
      this.isOpen = isOpen;
      if (!isOpen) byId("panes").classList.remove("alone");
      this.update();
   }

   /** Compares, if the tab is open. */
   update(): void {
      if (this.isOpen) this.latest.run(() => this.compare());
   }

   /** The button that gives the page to the comparison. */
   private wide(): HTMLElement {
      const button = element("button", { type: "button", "aria-pressed": "false" }, "Use the whole page");
      const show = (): void => button.setAttribute("aria-pressed", String(byId("panes").classList.contains("alone")));
      button.addEventListener("click", () => {
         byId("panes").classList.toggle("alone");
         show();
      });
      byId("tabs").addEventListener("click", show);
      return button;
   }

   private fields(settings: Settings): HTMLElement {
      const { right } = this.state;
      const preset = element("select", {});
      fillSelect(preset, settings.presets.map((name) => [name, name]), right.target.preset);
      preset.addEventListener("change", () => {
         right.target.preset = preset.value;
         this.update();
      });
      const text = (label: string, value: string, change: (value: string) => void, hint = ""): HTMLElement => {
         const input = element("input", { type: "text", value, spellcheck: "false", placeholder: hint });
         input.addEventListener("change", () => {
            change(input.value);
            this.update();
         });
         return element("label", { class: "choice" }, label, input);
      };
      return element(
         "fieldset",
         { class: "choices" },
         element("legend", {}, "The other module"),
         element("label", { class: "choice" }, "Vulkan version", preset),
         text("Key", right.key, (value) => (right.key = value), "flip_y"),
         text("Features that it has", right.target.enable.join(","), (value) => (right.target.enable = names(value))),
         text("Features that it lacks", right.target.disable.join(","), (value) => (right.target.disable = names(value))),
      );
   }

   private async compare(): Promise<void> {
      const { text, shader, options, target, key, right } = this.state;
      const request: CompareRequest = { text, shader, options, left: { target, key }, right };
      try {
         this.show(await this.engine.ask<CompareAnswer>("compare", request));
      } catch (error) {
         say(messageOf(error), true);
      }
   }

   private show(answer: CompareAnswer): void {
      this.errors.replaceChildren(...answer.problems.map(({ message }) => element("li", {}, message)));
      const [left, right] = answer.words;
      const isSame = answer.lines.every(({ left, right }) => left !== null && right !== null);
      const change = isSame
         ? "The modules are the same."
         : `${answer.removed} instructions are only in the left one, and ${answer.added} only in the right one.`;
      this.note.textContent = answer.problems.length ? "" : `Left ${left} words, right ${right} words. ${change}`;
      this.pairs = pairs(answer.lines);
      this.showLines();
   }

   private showLines(): void {
      const shown = this.hasAll ? this.pairs : near(this.pairs);
      this.left.show(shown.map(([left]) => left));
      this.right.show(shown.map(([, right]) => right));
   }
}

/** Scrolls `other` to where `view` is scrolled: lines of both have equal heights. */
function follow(view: LineView, other: LineView): void {
   view.view.scrollDOM.addEventListener("scroll", () => {
      const [from, to] = [view.view.scrollDOM, other.view.scrollDOM];
      if (to.scrollTop !== from.scrollTop) to.scrollTop = from.scrollTop;
      if (to.scrollLeft !== from.scrollLeft) to.scrollLeft = from.scrollLeft;
   });
}
