// SPDX-License-Identifier: MIT

/** The panes that need a whole program: link, plan and run. They share the choice of the stages, and each has a button. */

import type { Entry, LinkAnswer, LinkRequest, PlanAnswer, PlanRequest, RunAnswer, RunRequest, StageText, TemplateAnswer } from "../api";
import { byId, element, fillSelect, messageOf, say } from "../dom";
import { type Engine, Latest } from "../engine";
import type { LineView } from "../line-view";
import { type Candidate, candidates, chosen, pick, stageName, without } from "../stages";
import type { State } from "../state";
import { showLink } from "./link";
import { showPlan } from "./plan";
import { showRun } from "./run";

/** A field of several lines that is a part of the state. */
function field(label: string, value: string, change: (value: string) => void): HTMLElement {
   const area = element("textarea", { rows: "5", spellcheck: "false" }, value);
   area.addEventListener("input", () => change(area.value));
   return element("label", { class: "field" }, label, area);
}

const PANES = ["link", "plan", "run"];

/** The panes of programs. */
export class ProgramPanes {
   private views: LineView[] = [];
   /** The shaders of the text in the editor, and those of the other text. */
   private own: Entry[] = [];
   private others: Entry[] = [];
   private readonly latest = new Latest();
   private readonly choices = element("div", { class: "row" });
   private readonly other: HTMLDetailsElement;
   private readonly inputs: HTMLElement;
   /** The inputs that the pane wrote itself; the user may have changed them. */
   private template = "";
   /** The choice of the stages, which is in the open pane. */
   private readonly head: HTMLElement;

   constructor(
      private readonly engine: Engine,
      private readonly state: State,
   ) {
      const others = field("A dump or a log", state.other, (value) => {
         state.other = value;
         this.latest.run(() => this.readOthers());
      });
      this.other = element("details", {}, element("summary", {}, "Stages from another text"), others);
      this.head = element("div", { class: "program" }, this.choices, this.other);
      this.pane("link", "Link", [], (place) => this.link(place));
      const limits = field("Limits of the device, as JSON", state.limits, (value) => (state.limits = value));
      this.pane("plan", "Plan", [limits], (place) => this.plan(place));
      this.inputs = field("Inputs, as JSON of ntv run; zeros if it is empty", state.inputs, (value) => (state.inputs = value));
      const template = element("button", { type: "button" }, "Write a template");
      template.addEventListener("click", () => {
         this.readTemplate().then(
            (text) => {
               this.writeInputs(text);
               say("the inputs are zeros: edit them, and run");
            },
            (error: unknown) => say(messageOf(error), true),
         );
      });
      this.pane("run", "Run", [this.inputs], (place) => this.run(place), template);
      this.latest.run(() => this.readOthers());
   }

   /** The tab with this name is opened. */
   open(id: string): void {
      if (!PANES.includes(id)) return;
      byId(id).prepend(this.head);
      // A link needs more than one stage.
      this.other.open = this.state.other.trim() !== "" || (id === "link" && this.choices.childElementCount === 0);
      if (id === "run") void this.begin();
   }

   /** The text in the editor has these shaders. */
   update(entries: Entry[]): void {
      this.own = entries;
      this.changed();
   }

   private changed(): void {
      this.showChoices();
      this.renewTemplate();
   }

   /** The template of another program is another one. */
   private renewTemplate(): void {
      if (this.template && this.state.inputs === this.template) this.writeInputs("");
      if (this.state.tab === "run") void this.begin();
   }

   private async readOthers(): Promise<void> {
      try {
         this.others = this.state.other.trim() ? await this.engine.ask<Entry[]>("shaders", this.state.other) : [];
      } catch (error) {
         this.others = [];
         say(messageOf(error), true);
      }
      this.changed();
   }

   /** Shows a choice for each stage that there is. */
   private showChoices(): void {
      const all = candidates(this.state, this.own, this.others);
      const program = chosen(this.state, this.own, all);
      const stages = [...new Set(all.map(({ stage }) => stage))].filter(Boolean);
      const choice = (stage: string): HTMLElement => {
         const select = element("select", {});
         const options = all.filter((it) => it.stage === stage).map(({ id, label }): [string, string] => [id, label]);
         fillSelect(select, [...options, [without(stage), "not a part"]], program.get(stage)?.id ?? without(stage));
         select.addEventListener("change", () => {
            this.state.picked = pick(this.state.picked, all, stage, select.value);
            this.renewTemplate();
         });
         return element("label", { class: "choice" }, stageName(stage), select);
      };
      this.choices.replaceChildren(...(all.length > 1 ? stages.map(choice) : []));
   }

   /** Begins with a template, unless there are inputs. Stages that cannot run have none. */
   private async begin(): Promise<void> {
      if (this.state.inputs.trim()) return;
      const text = await this.readTemplate().catch(() => "");
      // The user may have been faster.
      if (text && !this.state.inputs.trim()) this.writeInputs(text);
   }

   private writeInputs(text: string): void {
      const area = this.inputs.querySelector("textarea");
      if (area) area.value = text;
      this.state.inputs = text;
      this.template = text;
   }

   /** Inputs with zeros for all that the stages use. */
   private async readTemplate(): Promise<string> {
      const { stages } = await this.stages();
      const request: RunRequest = { stages, inputs: "" };
      const answer = await this.engine.ask<TemplateAnswer>("template", request);
      const [problem] = answer.problems;
      if (problem) throw new Error(problem.problem.message);
      return answer.inputs;
   }

   private pane(
      id: string,
      label: string,
      fields: HTMLElement[],
      work: (place: HTMLElement) => Promise<void>,
      ...others: HTMLElement[]
   ): void {
      const button = element("button", { type: "button", class: "primary" }, label);
      const place = element("div", { "aria-live": "polite" });
      button.addEventListener("click", () => {
         say(`${label}: working`);
         work(place).then(
            () => say(`${label}: done`),
            (error: unknown) => say(messageOf(error), true),
         );
      });
      byId(id).replaceChildren(...fields, element("div", { class: "row" }, button, ...others), place);
   }

   /** The stages of the program, the chosen shader first, and their names. */
   private async stages(): Promise<{ stages: StageText[]; names: string[] }> {
      const { state } = this;
      const [own, others] = [state.text, state.other].map((text) =>
         text.trim() ? this.engine.ask<Entry[]>("shaders", text) : Promise.resolve([]),
      );
      [this.own, this.others] = [(await own) ?? [], (await others) ?? []];
      if (state.other.trim() && !this.others.length) throw new Error("the other text has no shader");
      const all = candidates(state, this.own, this.others);
      const found = [...chosen(state, this.own, all).values()];
      if (!found.length) throw new Error("there is no shader: choose a stage");
      const isFirst = ({ id }: Candidate): boolean => id === `text:${state.shader}`;
      found.sort((one, other) => Number(isFirst(other)) - Number(isFirst(one)));
      return { stages: found.map(({ text }) => text), names: found.map(({ stage }) => stageName(stage)) };
   }

   private async link(place: HTMLElement): Promise<void> {
      const { target, options, key } = this.state;
      const { stages, names } = await this.stages();
      if (stages.length < 2) throw new Error("a link needs two stages: paste the other ones above");
      const request: LinkRequest = { stages, target, options, key };
      const answer = await this.engine.ask<LinkAnswer>("link", request);
      this.views.forEach((view) => view.remove());
      this.views = [];
      showLink(place, answer, names, this.views);
   }

   private async plan(place: HTMLElement): Promise<void> {
      const { stages, names } = await this.stages();
      const request: PlanRequest = { stages, limits: this.state.limits, threshold: null };
      showPlan(place, await this.engine.ask<PlanAnswer>("plan", request), names);
   }

   private async run(place: HTMLElement): Promise<void> {
      const { stages, names } = await this.stages();
      const { inputs } = this.state;
      const request: RunRequest = { stages, inputs };
      showRun(place, await this.engine.ask<RunAnswer>("run", request), names, inputs);
   }
}
