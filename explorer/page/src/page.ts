// SPDX-License-Identifier: MIT

/** The page: connects the panes with the state and the translator. */

import type { Answer, Entry, Settings } from "./api";
import { documentation } from "./documentation";
import { byId, fillSelect, messageOf, say } from "./dom";
import { type Engine, Latest } from "./engine";
import { ComparePane } from "./panes/compare";
import { countsPane } from "./panes/counts";
import { GraphPane } from "./panes/graph";
import { NirPane } from "./panes/nir";
import { PassesPane } from "./panes/passes";
import { ProgramPanes } from "./panes/program";
import { settingsPane } from "./panes/settings";
import { SpirvPane } from "./panes/spirv";
import { save, saved } from "./saved";
import { fromFragment, toFragment } from "./share";
import { initial, requestOf, restored, type State } from "./state";
import { tabs } from "./tabs";
import { movable } from "./widths";

/** The most bytes of a file. */
const MOST = 8 << 20;

class Page {
   private readonly latest = new Latest();
   private readonly passes = new PassesPane();
   private readonly spirv = new SpirvPane();
   private readonly graph = new GraphPane();
   private readonly nir: NirPane;
   private readonly compare: ComparePane;
   private readonly programs: ProgramPanes;
   private isEdited = false;

   constructor(
      private readonly engine: Engine,
      private readonly settings: Settings,
      private readonly state: State,
      /** What was wrong with the address, until the first edit. */
      private warning: string,
      /** What the page began with: see `saved.ts`. */
      origin: string,
   ) {
      // The browser calls this before a reload, too.
      window.addEventListener("pagehide", () => {
         if (this.isEdited) save(origin, this.state);
      });
      this.nir = new NirPane(
         state.text,
         (text) => this.edited(text),
         (shader) => this.chosen(shader),
      );
      settingsPane(settings, state, (part) => this.switched(part));
      this.compare = new ComparePane(engine, state, settings);
      this.programs = new ProgramPanes(engine, state);
      this.connectHeader();
      this.connectDrop();
      const choose = tabs(byId("tabs"), (id) => {
         this.state.tab = id;
         this.graph.setOpen(id === "graph");
         this.compare.setOpen(id === "compare");
         this.programs.open(id);
      });
      const known = [...byId("tabs").querySelectorAll<HTMLElement>("[role=tab]")].map((tab) => tab.dataset["tab"]);
      choose(known.includes(state.tab) ? state.tab : "passes");
      this.translate();
   }

   private edited(text: string): void {
      this.state.text = text;
      this.state.picked = [];
      this.isEdited = true;
      this.warning = "";
      this.spirv.startAnew();
      this.translate();
   }

   private chosen(shader: number): void {
      this.state.shader = shader;
      this.state.picked = [];
      this.spirv.startAnew();
      this.translate();
   }

   private switched(part: Partial<State>): void {
      Object.assign(this.state, part);
      this.translate();
   }

   private translate(): void {
      const start = performance.now();
      this.latest.run(async () => {
         try {
            await this.showTranslation(start);
         } catch (error) {
            this.show({ problems: [], passes: [], spirv: null, counts: null, graph: null });
            performance.measure("translation", { start, end: performance.now() });
            say(messageOf(error), true);
         }
      });
   }

   /** Translates the shader and shows the result. `start` is the time of the edit. */
   private async showTranslation(start: number): Promise<void> {
      const entries = await this.engine.ask<Entry[]>("shaders", this.state.text);
      this.state.shader = Math.min(this.state.shader, Math.max(entries.length - 1, 0));
      const answer = await this.engine.ask<Answer>("explore", requestOf(this.state));
      this.nir.showShaders(entries, this.state.shader);
      this.programs.update(entries);
      this.compare.update();
      this.show(answer);
      const milliseconds = performance.now() - start;
      performance.measure("translation", { start, end: start + milliseconds });
      const problems = answer.problems.length;
      if (this.warning) say(this.warning, true);
      else if (problems) say(`${problems} ${problems === 1 ? "problem" : "problems"}`, true);
      else say(`translated and shown in ${milliseconds.toFixed(0)} ms`);
   }

   private show(answer: Answer): void {
      this.nir.showProblems(answer.problems);
      this.passes.show(answer.passes);
      this.spirv.show(answer.spirv);
      this.graph.show(answer.graph);
      countsPane(answer.counts);
   }

   private connectHeader(): void {
      const examples = byId<HTMLSelectElement>("examples");
      const names = this.settings.examples.map(({ name }, number): [string, string] => [String(number), name]);
      fillSelect(examples, [["", "choose"], ...names]);
      examples.addEventListener("change", () => {
         const example = this.settings.examples[Number(examples.value)];
         if (examples.value && example) this.nir.setText(example.text);
      });
      const file = byId<HTMLInputElement>("file");
      byId("open").addEventListener("click", () => file.click());
      file.addEventListener("change", () => {
         // Without a choice, the same file can be chosen again.
         void this.load(file.files?.[0]).finally(() => (file.value = ""));
      });
      byId("share").addEventListener("click", () => void this.share());
   }

   private connectDrop(): void {
      const pane = byId("input");
      const set = (isOver: boolean): unknown => pane.classList.toggle("dropping", isOver);
      pane.addEventListener("dragover", (event) => {
         event.preventDefault();
         set(true);
      });
      pane.addEventListener("dragleave", () => set(false));
      // Before the editor, which would insert the file at the pointer.
      const drop = (event: DragEvent): void => {
         set(false);
         const file = event.dataTransfer?.files[0];
         if (!file) return;
         event.preventDefault();
         event.stopPropagation();
         void this.load(file);
      };
      pane.addEventListener("drop", drop, { capture: true });
   }

   private async load(file: File | undefined): Promise<void> {
      if (!file) return;
      if (file.size > MOST) return say(`${file.name} has more than 8 MB`, true);
      try {
         this.nir.setText(await file.text());
      } catch (error) {
         say(`${file.name} cannot be read: ${messageOf(error)}`, true);
      }
   }

   /** Puts the state into the address, and the address into the clipboard. */
   private async share(): Promise<void> {
      const fragment = await toFragment(this.state);
      history.replaceState(null, "", fragment);
      this.isEdited = false;
      try {
         await navigator.clipboard.writeText(location.href);
         say("the link is in the clipboard and in the address");
      } catch {
         say("the link is in the address");
      }
   }
}

/** The state with which the page begins. */
interface Start {
   state: State;
   /** What was wrong with the address. */
   warning: string;
   /** The link, the dump of the server, or nothing: another one is not replaced by what was saved. */
   origin: string;
}

/** The state of the address: of a link, of the dump that the server has, or of an example. */
async function addressed(settings: Settings): Promise<Start> {
   const state = initial(settings);
   const origin = location.hash;
   try {
      const shared = await fromFragment(location.hash);
      if (shared !== null) return { state: restored(state, shared), warning: "", origin };
   } catch (error) {
      return { state, warning: `this link is damaged: ${messageOf(error)}`, origin };
   }
   if (!new URLSearchParams(location.search).has("dump")) return { state, warning: "", origin };
   const reply = await fetch("dump");
   const text = await reply.text();
   return reply.ok ? { state: { ...state, text }, warning: "", origin: text } : { state, warning: text, origin: text };
}

/** The state before a reload, if the address has the same as then. */
async function startState(settings: Settings): Promise<Start> {
   const start = await addressed(settings);
   try {
      const found = saved(start.origin);
      return found === null ? start : { ...start, state: restored(start.state, found) };
   } catch {
      return start;
   }
}

/** Shows the page, whose translator is `engine`. */
export async function start(engine: Engine): Promise<void> {
   movable(byId("panes"));
   documentation.engine = engine;
   const settings = await engine.ask<Settings>("settings", "");
   const { state, warning, origin } = await startState(settings);
   new Page(engine, settings, state, warning, origin);
   // A link that is pasted into the address of the open page.
   window.addEventListener("hashchange", () => location.reload());
}
