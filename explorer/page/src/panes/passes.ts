// SPDX-License-Identifier: MIT

/** The pane of the passes: each with its difference; those that changed nothing are hidden, unless a switch shows them. */

import type { PassReport } from "../api";
import { compare } from "../diff";
import { byId, checkbox, element } from "../dom";
import { nir } from "../language";
import { LineView, type ViewLine } from "../line-view";
import { marks } from "../marks";

/** The passes of the last translation. Views are made when a pass is opened. */
export class PassesPane {
   private readonly open = new Set<string>();
   private views: LineView[] = [];
   private rows: { row: HTMLElement; report: PassReport }[] = [];
   private hasIdle = false;

   constructor() {
      marks.listen((line) => this.showMark(line));
   }

   /** Shows the passes of a translation. */
   show(reports: PassReport[]): void {
      this.views.forEach((view) => view.remove());
      this.views = [];
      let before: ViewLine[] = [];
      this.rows = reports.map((report) => {
         const row = this.row(report, before);
         if (report.changed) before = report.lines;
         return { row, report };
      });
      const idle = reports.filter((report) => !report.changed).length;
      const label = `Show the ${idle} passes that had nothing to do`;
      const choice = checkbox(label, this.hasIdle, "", (isOn) => {
         this.hasIdle = isOn;
         this.hideIdle();
      });
      byId("passes").replaceChildren(...(idle ? [choice] : []), ...this.rows.map(({ row }) => row));
      this.hideIdle();
      this.showMark(marks.line);
   }

   private hideIdle(): void {
      for (const { row, report } of this.rows) row.hidden = !report.changed && !this.hasIdle;
   }

   private row(report: PassReport, before: ViewLine[]): HTMLElement {
      const badge = report.name === "input" ? "start" : report.changed ? "changed" : "nothing to do";
      const summary = element(
         "summary",
         {},
         element("b", {}, report.name),
         element("span", {}, report.what),
         element("span", { class: "badge" }, badge),
      );
      const isOpen = report.changed && this.open.has(report.name);
      const row = element("details", { class: report.changed ? "pass" : "pass idle", open: isOpen }, summary);
      if (!report.changed) row.append(element("p", {}, "The shader is the same after this pass."));
      row.addEventListener("toggle", () => {
         if (row.open) this.open.add(report.name);
         else this.open.delete(report.name);
         if (row.open) this.fill(row, report, before);
      });
      return row;
   }

   private fill(row: HTMLElement, report: PassReport, before: ViewLine[]): void {
      if (!report.changed || row.querySelector(".editor")) return;
      const place = element("div", { class: "editor" });
      row.append(place);
      const view = new LineView(place, `NIR after ${report.name}`, nir, "nir");
      this.views.push(view);
      view.show(before.length ? compare(before, report.lines) : report.lines);
      view.reveal((line) => line.change !== undefined);
   }

   /** A pass has a mark if something in its result came of the marked line. */
   private showMark(line: number | null): void {
      for (const { row, report } of this.rows) {
         const has = line !== null && report.lines.some(({ origin }) => origin === line);
         row.querySelector(".badge")?.classList.toggle("marked", has);
      }
   }
}
