// SPDX-License-Identifier: MIT

/** The pane of the switches: the target, its features and workarounds, options, and the key. */

import type { Settings, Target } from "../api";
import { byId, checkbox, element, fillSelect } from "../dom";
import type { State } from "../state";

/** Shows all switches with the state. `change` applies a part of a new state to it. */
export function settingsPane(settings: Settings, state: State, change: (part: Partial<State>) => void): void {
   byId("settings").replaceChildren(
      presetChoice(settings, state, change),
      keyParts(settings, state, change),
      options(state, change),
      workarounds(settings, state, change),
      features(settings, state, change),
   );
}

type Change = (part: Partial<State>) => void;

function group(legend: string, ...children: (Node | string)[]): HTMLFieldSetElement {
   return element("fieldset", {}, element("legend", {}, legend), ...children);
}

function presetChoice(settings: Settings, state: State, change: Change): HTMLElement {
   const select = element("select", { id: "preset" });
   fillSelect(
      select,
      settings.presets.map((name) => [name, name]),
      state.target.preset,
   );
   select.addEventListener("change", () => {
      change({ target: { ...state.target, preset: select.value } });
      settingsPane(settings, state, change);
      byId("preset").focus();
   });
   return group("Target", element("label", {}, "Vulkan version ", select));
}

function keyParts(settings: Settings, state: State, change: Change): HTMLElement {
   const names = new Set(state.key.split(",").filter(Boolean));
   const parts = settings.key.filter(({ mechanism }) => mechanism === "range");
   const rows = parts.map(({ name, why, stages }) =>
      checkbox(name, names.has(name), `${why} (${stages.join(", ")})`, (isOn) => {
         if (isOn) names.add(name);
         else names.delete(name);
         text.value = [...names].join(",");
         change({ key: text.value });
      }),
   );
   const text = element("input", { type: "text", id: "key", value: state.key, spellcheck: "false" });
   text.addEventListener("change", () => {
      change({ key: text.value });
      settingsPane(settings, state, change);
      byId("key").focus();
   });
   const others = settings.key.filter(({ mechanism }) => mechanism !== "range");
   const list = others.map(({ name, mechanism, why }) =>
      element("li", {}, element("b", {}, name), ` is ${mechanism}: ${why}`),
   );
   return group(
      "Key of the variant",
      element("label", {}, "As text, such as flip_y,size=640x480 ", text),
      element("div", { class: "scrolled", tabindex: "0", role: "group", "aria-label": "Parts of a key" }, ...rows),
      element("details", {}, element("summary", {}, "States that need no variant"), element("ul", {}, ...list)),
   );
}

function options(state: State, change: Change): HTMLElement {
   const flag = (name: "lane_access" | "names" | "uniform_ranges_in_vec4s", label: string, hint: string): HTMLElement =>
      checkbox(label, state.options[name], hint, (isOn) => {
         change({ options: { ...state.options, [name]: isOn } });
      });
   const captures = element("select", {});
   fillSelect(captures, [["extension", "the device"], ["storage", "stores of the shader"]], state.options.captures);
   captures.addEventListener("change", () => {
      change({ options: { ...state.options, captures: captures.value } });
   });
   return group(
      "Options",
      flag("names", "Names", "OpName for variables and types"),
      flag("lane_access", "One load for each lane", "never a load of a whole vec4"),
      flag("uniform_ranges_in_vec4s", "Uniform ranges in vec4s", "the driver binds multiples of 16 bytes"),
      element("label", {}, "Transform feedback is written by ", captures),
   );
}

function workarounds(settings: Settings, state: State, change: Change): HTMLElement {
   const rows = settings.workarounds.map(({ name, documentation }) =>
      checkbox(name, state.target.workarounds.includes(name), documentation, (isOn) => {
         const others = state.target.workarounds.filter((other) => other !== name);
         change({ target: { ...state.target, workarounds: isOn ? [...others, name] : others } });
      }),
   );
   return group("Workarounds for drivers", ...rows);
}

/** Whether a target has a feature of its preset or by a switch. */
function has({ enable, disable }: Target, name: string, isInPreset: boolean): boolean {
   return enable.includes(name) || (isInPreset && !disable.includes(name));
}

function features(settings: Settings, state: State, change: Change): HTMLElement {
   const rows = settings.features.map(({ name, presets }) => {
      const isInPreset = presets.includes(state.target.preset);
      const row = checkbox(name, has(state.target, name, isInPreset), "", (isOn) => {
         const without = (list: string[]): string[] => list.filter((other) => other !== name);
         let { enable, disable } = state.target;
         [enable, disable] = [without(enable), without(disable)];
         if (isOn && !isInPreset) enable.push(name);
         if (!isOn && isInPreset) disable.push(name);
         change({ target: { ...state.target, enable, disable } });
      });
      return { name, row };
   });
   const search = element("input", { type: "search", id: "feature-search", spellcheck: "false" });
   search.addEventListener("input", () => {
      for (const { name, row } of rows) row.hidden = !name.toLowerCase().includes(search.value.toLowerCase());
   });
   const list = element(
      "div",
      { class: "scrolled", tabindex: "0", role: "group", "aria-label": "Features" },
      ...rows.map(({ row }) => row),
   );
   return group("Features of the device", element("label", {}, "Search ", search), list);
}
