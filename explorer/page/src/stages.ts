// SPDX-License-Identifier: MIT

/** The stages of a program: from the shaders of the log in the editor, and from those of another text. */

import type { Entry, StageText } from "./api";
import type { State } from "./state";

/** A shader that can be a stage of the program. */
export interface Candidate {
   /** The name by which the state has it. */
   id: string;
   /** NIR's name of the stage. */
   stage: string;
   label: string;
   text: StageText;
}

/** NIR's names of the stages of pipelines with several stages, in their order. */
const PIPELINE = ["VERTEX", "TESS_CTRL", "TESS_EVAL", "GEOMETRY", "TASK", "MESH", "FRAGMENT"].map((name) => `MESA_SHADER_${name}`);

/** The name of a stage as users know it. */
export function stageName(stage: string): string {
   return stage.replace("MESA_SHADER_", "").toLowerCase().replaceAll("_", " ");
}

/** The numbers of the shaders of each program of a log: a program ends where one of its stages is there again. */
export function programs(entries: Entry[]): number[][] {
   const found: number[][] = [];
   let seen = new Set<string>();
   for (const [number, { stage }] of entries.entries()) {
      const isPart = PIPELINE.includes(stage) && !seen.has(stage) && seen.size > 0;
      if (isPart) found.at(-1)?.push(number);
      else found.push([number]);
      if (!isPart) seen = new Set();
      // No other stage joins a compute shader.
      if (PIPELINE.includes(stage)) seen.add(stage);
   }
   return found;
}

/** All candidates: the shaders of the text, and then those of the other one. */
export function candidates(state: State, own: Entry[], others: Entry[]): Candidate[] {
   const of = (entries: Entry[], text: string, name: string, where: string): Candidate[] =>
      entries.map((entry, shader) => ({
         id: `${name}:${shader}`,
         stage: entry.stage,
         label: `${where}line ${entry.first_line}${entry.name ? `: ${entry.name}` : ""}${entry.ok ? "" : " (has errors)"}`,
         text: { text, shader },
      }));
   return [...of(own, state.text, "text", ""), ...of(others, state.other, "other", "other text, ")];
}

/** What the state has for a stage that is not a part of the program. */
export function without(stage: string): string {
   return `none:${stage}`;
}

/** The candidate of each stage of the program: the one that the user picked, or that of the program of the chosen shader, or one of
 * the other text. */
export function chosen(state: State, own: Entry[], all: Candidate[]): Map<string, Candidate> {
   const program = programs(own).find((numbers) => numbers.includes(state.shader)) ?? [];
   const found = new Map<string, Candidate>();
   for (const stage of new Set(all.map((candidate) => candidate.stage))) {
      const ofStage = all.filter((candidate) => candidate.stage === stage);
      if (state.picked.includes(without(stage))) continue;
      const candidate =
         ofStage.find(({ id }) => state.picked.includes(id)) ??
         ofStage.find(({ id, text }) => id.startsWith("text:") && program.includes(text.shader)) ??
         ofStage.find(({ id }) => id.startsWith("other:"));
      if (candidate) found.set(stage, candidate);
   }
   return found;
}

/** `picked` with another choice for a stage. */
export function pick(picked: string[], all: Candidate[], stage: string, choice: string): string[] {
   const ofStage = [without(stage), ...all.filter((candidate) => candidate.stage === stage).map(({ id }) => id)];
   return [...picked.filter((id) => !ofStage.includes(id)), choice];
}
