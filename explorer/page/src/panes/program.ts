// SPDX-License-Identifier: MIT

/** The panes that need a whole program: link, plan and run. Each has an editor for the other stages, and a button. */

import type { Entry, LinkAnswer, LinkRequest, PlanAnswer, PlanRequest, RunAnswer, RunRequest, TemplateAnswer } from "../api";
import { byId, element, messageOf, say } from "../dom";
import type { Engine } from "../engine";
import type { LineView } from "../line-view";
import { stagesOf, type State } from "../state";
import { showLink } from "./link";
import { showPlan } from "./plan";
import { showRun } from "./run";

/** A field of several lines that is a part of the state. */
function field(label: string, value: string, change: (value: string) => void): HTMLElement {
   const area = element("textarea", { rows: "5", spellcheck: "false" }, value);
   area.addEventListener("input", () => change(area.value));
   return element("label", {}, label, area);
}

/** The panes of programs. */
export class ProgramPanes {
   private views: LineView[] = [];

   constructor(
      private readonly engine: Engine,
      private readonly state: State,
   ) {}

   /** Shows the fields of all panes with the state. */
   show(): void {
      const { state } = this;
      const other = (): HTMLElement =>
         field("The other stages: a dump or a log", state.other, (value) => (state.other = value));
      this.pane("link", "Link", [other()], (place) => this.link(place));
      const limits = field("Limits of the device, as JSON", state.limits, (value) => (state.limits = value));
      this.pane("plan", "Plan", [other(), limits], (place) => this.plan(place));
      const inputs = field("Inputs, as JSON of ntv run; zeros if it is empty", state.inputs, (value) => (state.inputs = value));
      const template = element("button", { type: "button" }, "Write a template");
      template.addEventListener("click", () => {
         this.template(inputs).catch((error: unknown) => say(messageOf(error), true));
      });
      this.pane("run", "Run", [other(), inputs, template], (place) => this.run(place));
   }

   /** Fills the inputs with zeros for all that the shaders use. */
   private async template(inputs: HTMLElement): Promise<void> {
      const request: RunRequest = { stages: await this.stages(), inputs: "" };
      const answer = await this.engine.ask<TemplateAnswer>("template", request);
      const [problem] = answer.problems;
      if (problem) throw new Error(problem.problem.message);
      const area = inputs.querySelector("textarea");
      if (area) area.value = answer.inputs;
      this.state.inputs = answer.inputs;
      say("the inputs are zeros: edit them, and run");
   }

   private pane(id: string, label: string, fields: HTMLElement[], work: (place: HTMLElement) => Promise<void>): void {
      const button = element("button", { type: "button", class: "primary" }, label);
      const place = element("div", { "aria-live": "polite" });
      button.addEventListener("click", () => {
         say(`${label}: working`);
         work(place).then(
            () => say(`${label}: done`),
            (error: unknown) => say(messageOf(error), true),
         );
      });
      byId(id).replaceChildren(...fields, element("div", { class: "row" }, button), place);
   }

   /** The stages of the program. A log may have several. */
   private async stages(): Promise<LinkRequest["stages"]> {
      const others = this.state.other.trim() ? await this.engine.ask<Entry[]>("shaders", this.state.other) : [];
      return stagesOf(this.state, this.state.other.trim() ? Math.max(others.length, 1) : 0);
   }

   private async link(place: HTMLElement): Promise<void> {
      const { target, options, key } = this.state;
      const stages = await this.stages();
      if (stages.length < 2) throw new Error("a link needs two stages: paste the other ones above");
      const request: LinkRequest = { stages, target, options, key };
      const answer = await this.engine.ask<LinkAnswer>("link", request);
      this.views.forEach((view) => view.remove());
      this.views = [];
      showLink(place, answer, this.views);
   }

   private async plan(place: HTMLElement): Promise<void> {
      const request: PlanRequest = { stages: await this.stages(), limits: this.state.limits, threshold: null };
      showPlan(place, await this.engine.ask<PlanAnswer>("plan", request));
   }

   private async run(place: HTMLElement): Promise<void> {
      const request: RunRequest = { stages: await this.stages(), inputs: this.state.inputs };
      showRun(place, await this.engine.ask<RunAnswer>("run", request));
   }
}
