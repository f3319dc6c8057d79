// SPDX-License-Identifier: MIT

/** The worker with Graphviz: it draws a graph for each message. The page starts it when the first graph is shown. */

import { instance } from "@viz-js/viz";
import type { Call, Reply } from "./engine";

const loaded = instance();

async function answer({ id, argument }: Call): Promise<Reply> {
   try {
      const result = (await loaded).render(argument, { format: "svg" });
      if (result.status === "success") return { id, text: result.output };
      return { id, error: result.errors.map((error) => error.message).join("; ") };
   } catch (error) {
      return { id, error: `Graphviz has failed (${error instanceof Error ? error.message : String(error)})` };
   }
}

self.addEventListener("message", ({ data }: MessageEvent<Call>) => void answer(data).then((reply) => self.postMessage(reply)));
