// SPDX-License-Identifier: MIT

/** The pane of the control flow, which Graphviz draws in a worker of its own. */

import { byId, element, messageOf } from "../dom";
import { Engine, Latest } from "../engine";

/** The most characters of a graph. Graphviz takes minutes for larger ones. */
const MOST = 200_000;

/** The graph of the shader, drawn while its tab is open. */
export class GraphPane {
   private readonly engine = new Engine("graph-worker.js", 20);
   private readonly latest = new Latest();
   private graph: string | null = null;
   private drawn: string | null = null;
   private isOpen = false;

   /** The graph of the last shader. */
   show(graph: string | null): void {
      this.graph = graph;
      this.draw();
   }

   /** The tab is opened or closed. */
   setOpen(isOpen: boolean): void {
      this.isOpen = isOpen;
      this.draw();
   }

   private draw(): void {
      const graph = this.graph;
      if (!this.isOpen || graph === this.drawn) return;
      this.drawn = graph;
      if (!graph) return this.say("There is no valid shader.");
      if (graph.length > MOST) return this.say("This shader is too large to draw.");
      this.say("Graphviz draws the graph.");
      this.latest.run(async () => {
         try {
            const text = await this.engine.text("graph", graph);
            const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
            svg.setAttribute("role", "img");
            svg.setAttribute("aria-label", "Control flow of the shader");
            const place = { class: "drawing", tabindex: "0", role: "group", "aria-label": "Graph" };
            byId("graph").replaceChildren(element("div", place, document.importNode(svg, true)));
         } catch (error) {
            this.say(messageOf(error));
         }
      });
   }

   private say(text: string): void {
      byId("graph").replaceChildren(element("p", {}, text));
   }
}
