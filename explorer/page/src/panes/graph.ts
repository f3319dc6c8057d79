// SPDX-License-Identifier: MIT

/** The pane of the control flow, which Graphviz draws in a worker of its own. The drawing fits its pane; it can be zoomed and dragged. */

import { byId, element, messageOf } from "../dom";
import { Engine, Latest } from "../engine";

/** The most characters of a graph. Graphviz takes minutes for larger ones. */
const MOST = 200_000;

/** One step of the buttons and of the wheel. */
const STEP = 1.25;

/** The smallest and the largest size of a drawing, as factors. */
const SCALES: [number, number] = [0.05, 8];

/** Shows a drawing with buttons for its size. The wheel with Ctrl zooms at the pointer, and the pointer drags. */
function zoomable(svg: SVGSVGElement): void {
   const place = element("div", { class: "drawing", tabindex: "0", role: "group", "aria-label": "Graph" });
   place.append(svg);
   const { width, height } = svg.viewBox.baseVal;
   let scale = 1;
   const resize = (wanted: number, at: { x: number; y: number } = { x: place.clientWidth / 2, y: place.clientHeight / 2 }): void => {
      const next = Math.min(Math.max(wanted, SCALES[0]), SCALES[1]);
      const [left, top] = [(place.scrollLeft + at.x) / scale, (place.scrollTop + at.y) / scale];
      scale = next;
      svg.setAttribute("width", `${width * scale}px`);
      svg.setAttribute("height", `${height * scale}px`);
      place.scrollTo(left * scale - at.x, top * scale - at.y);
   };
   const fit = (): void => resize(Math.min(place.clientWidth / width, place.clientHeight / height, 1));
   const button = (label: string, text: string, work: () => void): HTMLElement => {
      const made = element("button", { type: "button", "aria-label": label, title: label }, text);
      made.addEventListener("click", work);
      return made;
   };
   const buttons = [
      button("Fit the graph to the pane", "Fit", fit),
      button("Enlarge the graph", "+", () => resize(scale * STEP)),
      button("Shrink the graph", "−", () => resize(scale / STEP)),
   ];
   byId("graph").replaceChildren(element("div", { class: "row" }, ...buttons), place);
   fit();
   place.addEventListener(
      "wheel",
      (event) => {
         if (!event.ctrlKey) return;
         event.preventDefault();
         const box = place.getBoundingClientRect();
         resize(scale * (event.deltaY < 0 ? STEP : 1 / STEP), { x: event.clientX - box.left, y: event.clientY - box.top });
      },
      { passive: false },
   );
   place.addEventListener("pointerdown", (event) => {
      if (event.button === 0 && event.pointerType === "mouse") place.setPointerCapture(event.pointerId);
   });
   place.addEventListener("pointermove", (event) => {
      if (place.hasPointerCapture(event.pointerId)) place.scrollBy(-event.movementX, -event.movementY);
   });
}

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
            // Graphviz knows the widths of Courier, and not those of the fonts of the system.
            const text = await this.engine.text("graph", graph.replace("fontname=monospace", "fontname=Courier"));
            const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
            svg.setAttribute("role", "img");
            svg.setAttribute("aria-label", "Control flow of the shader");
            zoomable(document.importNode(svg, true) as unknown as SVGSVGElement);
         } catch (error) {
            this.say(messageOf(error));
         }
      });
   }

   private say(text: string): void {
      byId("graph").replaceChildren(element("p", {}, text));
   }
}
