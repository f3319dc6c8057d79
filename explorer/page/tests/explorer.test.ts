// SPDX-License-Identifier: MIT

/** The page in a real browser. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { deflateRawSync } from "node:zlib";
import type { Locator, Page } from "playwright-core";
import { Bench, file, ntv, pathOf, setText, translated } from "./page";

let bench: Bench;
before(async () => {
   bench = await Bench.start();
});
after(async () => {
   await bench.stop();
});

const lines = (page: Page, pane: string, kind = ""): Promise<string[]> => page.locator(`${pane} .cm-line${kind}`).allTextContents();
const tab = (page: Page, name: string): Promise<void> => page.getByRole("tab", { name, exact: true }).click();
/** The middle of a word of a line, which is scrolled to. */
async function placeOf(line: Locator, word: string): Promise<{ x: number; y: number }> {
   await line.scrollIntoViewIfNeeded();
   return line.evaluate((line, word) => {
      const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      for (let text = texts.nextNode(); text; text = texts.nextNode()) {
         const at = (text.textContent ?? "").indexOf(word);
         if (at < 0) continue;
         const range = document.createRange();
         range.setStart(text, at);
         range.setEnd(text, at + word.length);
         const box = range.getBoundingClientRect();
         return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      }
      throw new Error(`the line has no ${word}`);
   }, word);
}

/** Writes the text with other stages in the open pane with this name. */
async function writeOthers(page: Page, pane: string, text: string): Promise<void> {
   const details = page.locator(`#${pane} .program details`);
   if ((await details.getAttribute("open")) === null) await details.locator("summary").click();
   await details.locator("textarea").fill(text);
}
const status = (page: Page): Promise<string | null> => page.locator("#status").textContent();

test("the first SPIR-V is there in half a second", async () => {
   const times: number[] = [];
   for (let run = 0; run < 5; run++) {
      const page = await bench.open();
      await page.waitForFunction(() => performance.getEntriesByName("translation").length > 0);
      times.push(await page.evaluate(() => {
         const [first] = performance.getEntriesByName("translation");
         return (first?.startTime ?? Infinity) + (first?.duration ?? Infinity);
      }));
      assert.ok((await lines(page, "#spirv")).some((line) => line.includes("OpEntryPoint")));
      await page.context().close();
   }
   console.log(`from start to the first SPIR-V: ${times.map((time) => time.toFixed(0)).join(", ")} ms`);
   assert.ok(Math.min(...times) < 500, `${Math.min(...times)} ms`);
});

test("an edit of a hundred instructions takes less than 50 ms", async () => {
   const page = await bench.open();
   await setText(page, hundred());
   const times: number[] = [];
   for (let edit = 0; edit < 8; edit++) {
      await page.locator("#nir .cm-content").click();
      await translated(page, async () => {
         await page.keyboard.press("Control+End");
         await page.keyboard.type(" ");
      });
      times.push(await page.evaluate(() => performance.getEntriesByName("translation").at(-1)?.duration ?? Infinity));
   }
   console.log(`an edit of a hundred instructions: ${times.map((time) => time.toFixed(1)).join(", ")} ms`);
   assert.ok(Math.min(...times) < 50, `${Math.min(...times)} ms`);
   await page.context().close();
});

test("an error is underlined where it is, and goes after the edit", async () => {
   const page = await bench.open();
   const text = await file("examples/ubo_loop.nir");
   const wrong = text.replace("@load_ubo", "@load_uba");
   await setText(page, wrong);
   assert.match((await page.locator("#nir .cm-lintRange-error").first().textContent()) ?? "", /load_uba/);
   const line = wrong.split("\n").findIndex((row) => row.includes("@load_uba")) + 1;
   assert.match((await page.locator("#problems li").first().textContent()) ?? "", new RegExp(`^line ${line},`));
   assert.deepEqual((await lines(page, "#spirv")).filter(Boolean), []);
   await setText(page, text);
   assert.equal(await page.locator("#problems li").count(), 0);
   assert.ok((await lines(page, "#spirv")).length > 10);
   await page.context().close();
});

test("a pass shows its difference, and idle passes are hidden until they are wanted", async () => {
   const page = await bench.open();
   await setText(page, await file("examples/ubo_loop.nir"));
   const pass = page.locator(".pass", { has: page.locator("b", { hasText: /^lower_ubo$/ }) });
   await pass.locator("summary").click();
   await pass.locator(".line-removed").first().waitFor();
   assert.ok((await pass.locator(".line-removed").allTextContents()).some((line) => line.includes("@load_ubo")));
   assert.ok((await pass.locator(".line-added").count()) > 0);
   const idle = await page.locator(".pass.idle").count();
   assert.ok(idle > 10 && (await page.locator(".pass.idle:visible").count()) === 0);
   const show = page.getByRole("checkbox", { name: `Show the ${idle} passes that had nothing to do` });
   await show.check();
   assert.equal(await page.locator(".pass.idle:visible").count(), idle);
   // An edit does not change the choice.
   await setText(page, await file("examples/vertex.nir"));
   assert.ok((await page.locator(".pass.idle:visible").count()) > 10);
   await page.context().close();
});

test("marks go from NIR to passes and SPIR-V, and back", async () => {
   const page = await bench.open();
   await setText(page, await file("examples/ubo_loop.nir"));
   const load = page.locator("#nir .cm-line", { hasText: "@load_ubo" }).first();
   await load.click();
   await page.locator("#spirv .line-marked").first().waitFor();
   assert.ok((await lines(page, "#spirv", ".line-marked")).some((line) => line.includes("OpLoad")));
   assert.ok((await page.locator(".pass .badge.marked").count()) > 1);
   const add = page.locator("#spirv .cm-line", { hasText: "OpFAdd" }).first();
   await add.click();
   await page.locator("#nir .line-marked", { hasText: "fadd" }).waitFor();
   assert.match((await lines(page, "#nir", ".line-marked")).join(), /fadd/);
   await page.locator("#nir .cm-line", { hasText: "@load_ubo" }).first().hover();
   assert.match((await lines(page, "#nir", ".line-marked")).join(), /@load_ubo/);
   await page.locator("#spirv .cm-line", { hasText: "OpFAdd" }).first().hover();
   assert.match((await lines(page, "#nir", ".line-marked")).join(), /fadd/);
   // The cursor marks, too.
   await page.locator("#spirv .cm-line", { hasText: "OpFAdd" }).first().click();
   await page.mouse.move(0, 0);
   await page.keyboard.press("ArrowUp");
   await page.keyboard.press("ArrowDown");
   assert.match((await lines(page, "#nir", ".line-marked")).join(), /fadd/);
   await page.context().close();
});

test("a switch marks what it changes", async () => {
   const page = await bench.open();
   await setText(page, await file("examples/vertex.nir"));
   await tab(page, "Switches");
   const flip = page.getByRole("checkbox", { name: /^flip_y/ });
   await translated(page, () => flip.check());
   await page.locator("#spirv .line-added").first().waitFor();
   assert.match((await page.locator("#changes-text").textContent()) ?? "", /added [1-9]/);
   await translated(page, () => flip.uncheck());
   assert.equal(await page.locator("#spirv .line-added").count(), 0);
   await page.getByLabel("Search").fill("shaderFloat16");
   assert.equal(await page.getByRole("checkbox", { name: "shaderFloat16", exact: true }).count(), 1);
   await translated(page, async () => page.locator("#settings").getByLabel("Vulkan version").selectOption("vulkan1.0"));
   assert.match((await lines(page, "#spirv", ".line-added")).join("\n"), /Version: 1\.0/);
   await page.context().close();
});

test("files and pasted texts are shown, and a problem leads to its place", async () => {
   const page = await bench.open();
   const text = await file("examples/fog.nir");
   const chosen = { name: "fog.nir", mimeType: "text/plain", buffer: Buffer.from(text) };
   await translated(page, () => page.locator("#file").setInputFiles(chosen));
   assert.equal((await lines(page, "#nir"))[0], text.split("\n")[0]);
   await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
   await page.evaluate((text) => navigator.clipboard.writeText(text), text.replace("MESA_SHADER_", "MESA_SHADOW_"));
   await page.locator("#nir .cm-content").click();
   await page.keyboard.press("Control+A");
   await translated(page, () => page.keyboard.press("Control+V"));
   await page.locator("#status.error").waitFor();
   await setText(page, text.replace("impl main", "imp main"));
   await page.locator("#problems button").first().click();
   assert.ok(await page.evaluate(() => document.activeElement?.closest("#nir") !== null));
   await page.context().close();
});

test("a chosen theme stays", async () => {
   const page = await bench.open();
   const background = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
   await page.getByLabel("Theme").selectOption("light");
   const light = await background();
   await page.getByLabel("Theme").selectOption("dark");
   assert.notEqual(await background(), light);
   await page.reload();
   assert.notEqual(await background(), light);
   assert.equal(await page.getByLabel("Theme").inputValue(), "dark");
   await page.context().close();
});

test("an opened pass has marks, and marks the other panes", async () => {
   const page = await bench.open();
   await setText(page, await file("examples/ubo_loop.nir"));
   const pass = page.locator(".pass", { has: page.locator("b", { hasText: /^lower_ubo$/ }) });
   await pass.locator("summary").click();
   await page.locator("#nir .cm-line", { hasText: "@load_ubo (%2 (0x1), %12)" }).click();
   const marked = (await pass.locator(".line-marked").allTextContents()).join("\n");
   assert.match(marked, /= deref_array /);
   await pass.locator(".cm-line", { hasText: "fmul" }).first().click();
   assert.match((await lines(page, "#nir", ".line-marked")).join(), /fmul/);
   assert.match((await lines(page, "#spirv", ".line-marked")).join(), /OpFMul/);
   await page.context().close();
});

test("a log has a list of its shaders", async () => {
   const page = await bench.open();
   await setText(page, `some text\n${await file("examples/vertex.nir")}more text\n${await file("examples/fragment.nir")}`);
   const list = page.getByLabel("Shader of the log");
   assert.equal(await list.locator("option").count(), 2);
   await translated(page, async () => list.selectOption("1"));
   assert.ok((await lines(page, "#spirv")).some((line) => line.includes("OpEntryPoint Fragment")));
   await page.context().close();
});

test("a link shows what goes and what moves", async () => {
   const page = await bench.open();
   await setText(page, await file("examples/vertex.nir"));
   await tab(page, "Link");
   await writeOthers(page, "link", await file("examples/fragment.nir"));
   await page.locator("#link").getByRole("button", { name: "Link" }).click();
   await page.locator("#link table").nth(1).waitFor();
   assert.ok((await page.locator("#link tr.gone, #link tr.moved").count()) > 0);
   // A location that moves is removed from an id and added to the same one.
   const locations = async (kind: string): Promise<string[]> => {
      const found = await page.locator(`#link .line-${kind}`, { hasText: "Location" }).allTextContents();
      return found.map((line) => /%\d+/.exec(line)?.[0] ?? line);
   };
   const [removed, added] = [await locations("removed"), await locations("added")];
   assert.ok(added.length > 0 && added.every((id) => removed.includes(id)), `${added.join()} of ${removed.join()}`);
   await page.context().close();
});

test("link, plan and run take the stages of a program from a log", async () => {
   const page = await bench.open();
   const [vertex, fragment] = [await file("examples/vertex.nir"), await file("examples/fragment.nir")];
   const compute = await file("examples/histogram.nir");
   await setText(page, [vertex, fragment, compute, fragment, vertex].join("a line of a log\n"));
   await tab(page, "Link");
   const stage = (name: string): Locator => page.locator("#link").getByRole("combobox", { name, exact: true });
   const picked = async (): Promise<string[]> =>
      Promise.all(["vertex", "fragment", "compute"].map((name) => stage(name).inputValue()));
   assert.deepEqual(await picked(), ["text:0", "text:1", "none:MESA_SHADER_COMPUTE"]);
   assert.ok(!(await page.locator("#link .program textarea").isVisible()), "nothing has to be pasted");
   const link = async (): Promise<void> => {
      await page.locator("#link").getByRole("button", { name: "Link" }).click();
      await page.waitForFunction(() => !/working/.test(document.getElementById("status")?.textContent ?? ""));
   };
   await link();
   assert.equal(await page.locator("#link table").count(), 2);
   // The shader that the user looks at decides which program it is.
   await translated(page, async () => page.getByLabel("Shader of the log").selectOption("4"));
   assert.deepEqual(await picked(), ["text:4", "text:3", "none:MESA_SHADER_COMPUTE"]);
   await stage("fragment").selectOption("none:MESA_SHADER_FRAGMENT");
   await link();
   assert.match((await status(page)) ?? "", /a link needs two stages/);
   await stage("fragment").selectOption("text:1");
   await link();
   assert.equal(await page.locator("#status.error").count(), 0);
   // The other panes have the same choice, and a compute shader is alone.
   await tab(page, "Run");
   assert.equal(await page.locator("#run").getByRole("combobox", { name: "fragment", exact: true }).inputValue(), "text:1");
   await translated(page, async () => page.getByLabel("Shader of the log").selectOption("2"));
   await page.locator("#run").getByRole("button", { name: "Run", exact: true }).click();
   await page.locator("#run table.words").first().waitFor();
   await page.context().close();
});

test("an opcode has documentation, by the pointer and by F1", async () => {
   const page = await bench.open();
   await setText(page, await file("examples/ubo_loop.nir"));
   const tip = page.locator(".opcode");
   const hover = async (pane: string, line: string, word: string): Promise<void> => {
      const { x, y } = await placeOf(page.locator(`${pane} .cm-line`, { hasText: line }).first(), word);
      await page.mouse.move(x, y);
   };
   await hover("#nir", "@load_ubo", "@load_ubo");
   await tip.waitFor();
   assert.match((await tip.textContent()) ?? "", /^load_ubo an intrinsic of NIR.*uniform blocks.*range_baseStart of the bytes/);
   await page.mouse.move(0, 0);
   await tip.waitFor({ state: "detached" });
   await hover("#spirv", "OpAccessChain", "OpAccessChain");
   await tip.waitFor();
   const link = tip.getByRole("link", { name: "Specification" });
   assert.equal(await link.getAttribute("href"), "https://registry.khronos.org/SPIR-V/specs/unified1/SPIRV.html#OpAccessChain");
   await page.mouse.move(0, 0);
   await tip.waitFor({ state: "detached" });
   // The type `vec4` is not the operation `vec4`.
   await hover("#nir", "vec4[8]", "vec4");
   await page.waitForTimeout(600);
   assert.equal(await tip.count(), 0);
   const { x, y } = await placeOf(page.locator("#nir .cm-line", { hasText: "fmul" }).first(), "fmul");
   await page.mouse.click(x, y);
   await page.mouse.move(0, 0);
   await tip.waitFor({ state: "detached" });
   await page.keyboard.press("F1");
   await tip.waitFor();
   assert.match((await tip.textContent()) ?? "", /^fmul an ALU operation of NIR.*OpFMul/);
   await page.keyboard.press("Escape");
   await tip.waitFor({ state: "detached" });
   await page.context().close();
});

test("two targets, and two keys, are compared side by side", async () => {
   const page = await bench.open();
   await setText(page, await file("examples/vertex.nir"));
   await tab(page, "Compare");
   const note = page.locator("#compare .note");
   const said = async (pattern: RegExp): Promise<void> => {
      await page.waitForFunction((source) => new RegExp(source).test(document.querySelector("#compare .note")?.textContent ?? ""), pattern.source);
   };
   const version = page.locator("#compare").getByRole("combobox", { name: "Vulkan version", exact: true });
   const key = page.locator("#compare").getByRole("textbox", { name: "Key", exact: true });
   await version.selectOption(await version.locator("option").last().getAttribute("value"));
   await said(/The modules are the same/);
   assert.equal(await page.locator("#compare .cm-line", { hasText: "Op" }).count(), 0);
   await key.fill("flip_y");
   await key.press("Enter");
   await said(/ only in the right one/);
   const right = page.locator("#compare .side").nth(1);
   assert.ok((await right.locator(".line-added").count()) > 0);
   const heights = await page.locator("#compare .side .cm-content").evaluateAll((sides) => sides.map((side) => side.scrollHeight));
   assert.equal(heights[0], heights[1], "the lines of both sides are beside each other");
   await key.fill("fly");
   await key.press("Enter");
   await page.locator("#compare .error li", { hasText: "right: no option of a key is called `fly`" }).waitFor();
   await key.fill("");
   await key.press("Enter");
   await version.selectOption("vulkan1.0");
   await setText(page, await file("examples/ubo_loop.nir"));
   await said(/ only in the left one/);
   assert.ok((await page.locator("#compare .side").first().locator(".line-removed").count()) > 0);
   // An edit and a switch are compared, too.
   const before = await note.textContent();
   await setText(page, await file("examples/fog.nir"));
   await page.waitForFunction((before) => document.querySelector("#compare .note")?.textContent !== before, before);
   await page.getByRole("button", { name: "Use the whole page" }).click();
   assert.ok(!(await page.locator("#input").isVisible()) && (await page.locator("#compare").isVisible()));
   await tab(page, "Passes");
   assert.ok(await page.locator("#input").isVisible());
   await page.context().close();
});

test("plans show classes with reasons, and captures", async () => {
   const page = await bench.open();
   await setText(page, await file("examples/captures.nir"));
   await tab(page, "Plan");
   await writeOthers(page, "plan", await file("tests/corpus/pass/place_blocks_bounds.nir"));
   await page.locator("#plan").getByRole("button", { name: "Plan" }).click();
   await page.locator("#plan table").nth(1).waitFor();
   assert.match((await page.locator("#plan").textContent()) ?? "", /100000 bytes are read/);
   assert.ok((await page.locator("#plan table").nth(1).locator("tbody tr").count()) > 0);
   await page.context().close();
});

test("the interpreter shows buffers and pictures", async () => {
   const page = await bench.open();
   await setText(page, COMPUTE);
   await tab(page, "Run");
   const inputs = page.locator("#run textarea").nth(1);
   await inputs.fill('{"buffers": [{"set": 3, "binding": 0, "size": 8}]}');
   await page.locator("#run").getByRole("button", { name: "Run" }).click();
   const table = page.locator("#run table.words");
   await table.waitFor();
   assert.match((await page.locator("#run .result").textContent()) ?? "", /\[7,0\]/, (await page.locator("#run").textContent()) ?? "");
   assert.equal(await table.locator("caption").textContent(), "Buffer: set 3, binding 0");
   const words = (): Promise<string[]> => table.locator("tbody td").allTextContents();
   assert.deepEqual(await words(), ["7", "0", "", ""]);
   assert.deepEqual(await table.locator("b").allTextContents(), ["7"]);
   await page.getByLabel("Words as").selectOption("hex");
   assert.deepEqual(await words(), ["0x00000007", "0x00000000", "", ""]);
   await inputs.fill('{"buffers": [{"set": 3, "binding": 0, "u32": [7, 1065353216, 3]}]}');
   await page.locator("#run").getByRole("button", { name: "Run" }).click();
   await page.waitForFunction(() => document.querySelectorAll("#run table.words td")[2]?.textContent === "3");
   assert.equal(await table.locator("b").count(), 0, "a word that was 7 before is not changed");
   await page.getByLabel("Words as").selectOption("f32");
   assert.equal((await words())[1], "1");
   await setText(page, POINT);
   await writeOthers(page, "run", RED);
   await inputs.fill('{"draw": {"topology": "points", "vertices": 1, "size": [4, 4]}}');
   await page.locator("#run").getByRole("button", { name: "Run" }).click();
   await page.locator("#run canvas").waitFor();
   const red = await page.locator("#run canvas").evaluate((canvas) => {
      const { data } = (canvas as HTMLCanvasElement).getContext("2d")?.getImageData(0, 0, 4, 4) ?? { data: [] };
      return Array.from(data).filter((byte, at) => at % 4 === 0 && byte === 255).length;
   });
   assert.ok(red > 0);
   await page.context().close();
});

test("the graph is drawn when its tab is opened, by the keyboard too", async () => {
   const page = await bench.open();
   await page.getByRole("tab", { name: "Passes" }).focus();
   await page.keyboard.press("ArrowRight");
   await page.keyboard.press("ArrowRight");
   await page.locator("#graph svg .node").first().waitFor();
   assert.equal(await page.getByRole("tab", { name: "Graph" }).getAttribute("aria-selected"), "true");
   await page.context().close();
});

test("the graph fits its pane, and can be enlarged and dragged", async () => {
   const page = await bench.open();
   await setText(page, await file("examples/ubo_loop.nir"));
   await tab(page, "Graph");
   const drawing = page.locator("#graph .drawing");
   await drawing.locator("svg .node").first().waitFor();
   const size = (): Promise<[number, number, number]> => drawing.evaluate((place) => {
      const box = place.querySelector("svg")?.getBoundingClientRect();
      return [box?.width ?? 0, box?.height ?? 0, place.scrollLeft + place.scrollTop];
   });
   assert.ok(await page.locator("#tabs").evaluate((list) => list.scrollWidth <= list.clientWidth), "the tabs are cut");
   const pane = (await drawing.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
   const [width, height] = await size();
   assert.ok(width <= pane.width + 1 && height <= pane.height + 1 && width > 20, `${width} by ${height}`);
   const texts = await drawing.locator("svg .node").evaluateAll((nodes) => nodes.map((node) => {
      const own = [...node.querySelectorAll("text")].map((text) => text.getComputedTextLength());
      return Math.max(...own) - (node.querySelector("polygon")?.getBBox().width ?? 0);
   }));
   assert.ok(Math.max(...texts) < 8, `a text is ${Math.max(...texts)} wider than its box`);
   for (let step = 0; step < 6; step++) await page.getByRole("button", { name: "Enlarge the graph" }).click();
   const [larger, , scrolled] = await size();
   assert.ok(larger > 3 * width && scrolled > 0, `${larger}, ${scrolled}`);
   await page.mouse.move(pane.x + pane.width / 2, pane.y + pane.height / 2);
   await page.mouse.down();
   await page.mouse.move(pane.x + pane.width / 2 + 30, pane.y + pane.height / 2 + 30);
   await page.mouse.up();
   assert.ok((await size())[2] < scrolled);
   await page.keyboard.down("Control");
   await page.mouse.wheel(0, 100);
   await page.keyboard.up("Control");
   await page.waitForFunction((before) => (document.querySelector("#graph svg")?.getBoundingClientRect().width ?? 0) < before, larger);
   await page.getByRole("button", { name: "Fit the graph to the pane" }).click();
   assert.equal((await size())[0], width);
   await page.context().close();
});

test("panes are as wide as the pointer and the keys make them", async () => {
   const page = await bench.open("", { viewport: { width: 1280, height: 760 } });
   const width = async (): Promise<number> => (await page.locator("#input").boundingBox())?.width ?? 0;
   const before = await width();
   const separator = page.getByRole("separator", { name: "Width of NIR" });
   const box = (await separator.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
   await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
   await page.mouse.down();
   await page.mouse.move(box.x + box.width / 2 + 150, box.y + box.height / 2);
   await page.mouse.up();
   assert.ok(Math.abs((await width()) - before - 150) < 12, `${before} and ${await width()}`);
   const now = Number(await separator.getAttribute("aria-valuenow"));
   await separator.press("ArrowLeft");
   assert.equal(Number(await separator.getAttribute("aria-valuenow")), now - 2);
   for (let step = 0; step < 40; step++) await separator.press("ArrowLeft");
   assert.equal(await separator.getAttribute("aria-valuenow"), "12");
   // On a small screen, panes are below each other.
   await page.setViewportSize({ width: 400, height: 800 });
   assert.ok((await width()) > 300 && !(await separator.isVisible()));
   await page.context().close();
});

test("an edit survives a reload, and not another link", async () => {
   const page = await bench.open();
   const edited = (await file("examples/fog.nir")).replace("fmul", "fadd");
   await setText(page, edited);
   await tab(page, "Counts");
   // The editor has only the lines that are seen.
   const top = async (): Promise<string[]> => (await lines(page, "#nir")).slice(0, 20);
   const before = await top();
   await page.reload();
   await page.waitForFunction(() => performance.getEntriesByName("translation").length > 0);
   assert.deepEqual(await top(), before);
   assert.ok(await page.locator("#counts table").isVisible());
   await page.goto("about:blank");
   await page.goto(`${bench.address}#s=none`);
   await page.waitForFunction(() => document.getElementById("status")?.textContent);
   assert.notDeepEqual(await top(), before);
   await page.context().close();
});

test("a file that is opened again is read again", async () => {
   const page = await bench.open();
   const folder = await mkdtemp(join(tmpdir(), "ntv-"));
   try {
      const path = join(folder, "a.nir");
      for (const name of ["fog", "vertex"]) {
         const text = await file(`examples/${name}.nir`);
         await writeFile(path, text);
         await translated(page, () => page.locator("#file").setInputFiles(path));
         assert.equal((await lines(page, "#nir"))[0], text.split("\n")[0]);
         assert.equal(await page.locator("#file").inputValue(), "");
      }
   } finally {
      await rm(folder, { recursive: true });
   }
   await page.context().close();
});

test("a fragment shader has a picture with the inputs of its template", async () => {
   const page = await bench.open();
   await setText(page, await file("examples/fog.nir"));
   await tab(page, "Run");
   const has = (part: string): Promise<unknown> =>
      page.waitForFunction((part) => [...document.querySelectorAll<HTMLTextAreaElement>("#run textarea")].at(-1)?.value.includes(part), part);
   // The pane begins with a template, and has that of the next shader, unless the user has changed it.
   await has('"size": [64,64]');
   await setText(page, await file("examples/histogram.nir"));
   await has('"groups": [1,1,1]');
   await page.locator("#run textarea").nth(1).fill("{}");
   await setText(page, await file("examples/fog.nir"));
   await has("{}");
   await page.getByRole("button", { name: "Write a template" }).click();
   await has('"size": [64,64]');
   await page.locator("#run").getByRole("button", { name: "Run", exact: true }).click();
   await page.locator("#run canvas").waitFor();
   assert.equal(await page.locator("#run canvas").evaluate((canvas) => (canvas as HTMLCanvasElement).width), 64);
   await page.context().close();
});

test("types and constants have names with the switch", async () => {
   const page = await bench.open();
   await setText(page, await file("examples/ubo_loop.nir"));
   assert.ok((await lines(page, "#spirv")).some((line) => /%\d+ = OpTypeFloat 32/.test(line)));
   await tab(page, "Switches");
   await translated(page, () => page.getByRole("checkbox", { name: /^Names/ }).check());
   await page.getByRole("button", { name: "Forget the changes" }).click();
   const named = await lines(page, "#spirv");
   assert.ok(named.some((line) => line.startsWith("%v4float = OpTypeVector %float 4")), named.join("\n"));
   await page.context().close();
});

test("the files of the page work below any address of any server", async () => {
   const server = createServer((request, response) => {
      const name = (request.url ?? "").replace("/shaders/ntv/", "") || "index.html";
      const types: Record<string, string> = { html: "text/html", js: "text/javascript", css: "text/css", wasm: "application/wasm", svg: "image/svg+xml" };
      readFile(pathOf(`explorer/page/dist/${name}`)).then(
         (bytes) => response.writeHead(200, { "Content-Type": types[name.split(".").at(-1) ?? ""] ?? "text/plain" }).end(bytes),
         () => response.writeHead(404).end(),
      );
   }).listen(0, "127.0.0.1");
   await once(server, "listening");
   const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/shaders/ntv/`;
   const page = await bench.open();
   // Those to the other server are no requests of the command's page.
   const requests = bench.requests.length;
   const failed: string[] = [];
   page.on("requestfailed", (request) => failed.push(request.url()));
   page.on("response", (response) => {
      if (!response.ok()) failed.push(response.url());
   });
   await page.goto(address);
   await page.waitForFunction(() => performance.getEntriesByName("translation").length > 0);
   assert.ok((await lines(page, "#spirv")).length > 10);
   await tab(page, "Graph");
   await page.locator("#graph svg .node").first().waitFor();
   assert.deepEqual(failed, []);
   await page.context().close();
   bench.requests.length = requests;
   server.close();
});

test("a shared link restores the state after a reload", async () => {
   const page = await bench.open();
   await setText(page, await file("examples/histogram.nir"));
   await tab(page, "Counts");
   const before = await lines(page, "#spirv");
   await page.getByRole("button", { name: "Copy a link" }).click();
   await page.waitForFunction(() => location.hash.length > 10);
   await page.reload();
   await page.waitForFunction(() => performance.getEntriesByName("translation").length > 0);
   assert.deepEqual(await lines(page, "#spirv"), before);
   assert.ok(await page.locator("#counts table").isVisible());
   await page.context().close();
});

test("the dump of the command line is shown", async () => {
   const other = await Bench.start(pathOf("examples/fog.nir"));
   try {
      const page = await other.open();
      await page.waitForFunction(() => performance.getEntriesByName("translation").length > 0);
      assert.equal((await lines(page, "#nir"))[0], (await file("examples/fog.nir")).split("\n")[0]);
      assert.deepEqual(other.errors, []);
   } finally {
      await other.stop();
   }
});

test("GLSL of the command line is a program, which is linked and run without more texts", async () => {
   const other = await Bench.start(pathOf("examples/glsl/marble.vert"), pathOf("examples/glsl/marble.frag"));
   try {
      const page = await other.open();
      await page.waitForFunction(() => performance.getEntriesByName("translation").length > 0);
      assert.equal(await page.getByLabel("Shader of the log").locator("option").count(), 2);
      await tab(page, "Link");
      await page.locator("#link").getByRole("button", { name: "Link" }).click();
      await page.locator("#link table").nth(1).waitFor();
      await tab(page, "Run");
      await page.locator("#run").getByRole("combobox", { name: "vertex", exact: true }).selectOption({ label: "not a part" });
      await page.locator("#run").getByRole("button", { name: "Run", exact: true }).click();
      await page.locator("#run canvas").waitFor();
      assert.deepEqual(other.errors, []);
   } finally {
      await other.stop();
   }
});

test("axe finds no violation in light, dark and on a small screen", async () => {
   const axe = createRequire(`${process.cwd()}/`).resolve("axe-core/axe.min.js");
   for (const options of [
      { colorScheme: "light" as const },
      { colorScheme: "dark" as const },
      { colorScheme: "light" as const, viewport: { width: 360, height: 740 } },
   ]) {
      // The policy of the page forbids a script of axe.
      const page = await bench.open("", { ...options, bypassCSP: true });
      await page.addScriptTag({ path: axe });
      for (const name of ["Passes", "Switches", "Graph", "Counts", "Compare", "Link", "Plan", "Run"]) {
         await tab(page, name);
         if (name === "Compare") await page.locator("#compare .note", { hasText: "words" }).waitFor();
         const found = await page.evaluate(async () => {
            const { axe } = window as unknown as { axe: { run: () => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } };
            return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
         });
         assert.deepEqual(found, [], `${name} ${JSON.stringify(options)}`);
      }
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), "no sideways scrolling");
      await page.context().close();
   }
});

test("words are those of the native tool on the shaders of the corpus", async () => {
   const page = await bench.open();
   const folder = await mkdtemp(join(tmpdir(), "ntv-explorer-"));
   // It refuses some of the shaders: they have no file.
   await ntv("compile", "tests/corpus", "-o", folder).catch(() => undefined);
   const names = (await readdir(pathOf("tests/corpus"), { recursive: true })).filter((name) => name.endsWith(".nir"));
   let [equal, refused] = [0, 0];
   for (const name of names) {
      const text = await file(`tests/corpus/${name}`);
      if (text.match(/^shader: /gm)?.length !== 1) continue;
      const native = await readFile(join(folder, name.replace(/nir$/, "spv"))).catch(() => null);
      const words = await page.evaluate(wordsOf, JSON.stringify({ ...PLAIN, text }));
      assert.ok(words === (native?.toString("base64") ?? ""), `other words: ${name}`);
      if (native) equal++;
      else refused++;
   }
   await rm(folder, { recursive: true });
   console.log(`${equal} shaders of the corpus have equal words; ${refused} are refused by both`);
   assert.ok(equal >= 200, `${equal} shaders`);
   await page.context().close();
});

/** The words of a shader in base64, from another worker of the page; empty if it is refused. It runs in the page. */
async function wordsOf(request: string): Promise<string> {
   const worker = ((window as unknown as { worker?: Worker }).worker ??= new Worker("worker.js", { type: "module" }));
   const reply = await new Promise<{ text: string }>((resolve) => {
      worker.addEventListener("message", ({ data }) => resolve(data as { text: string }), { once: true });
      worker.postMessage({ id: 0, name: "explore", argument: request });
   });
   return (JSON.parse(reply.text) as { spirv: { words: string } | null }).spirv?.words ?? "";
}

const PLAIN = {
   shader: 0,
   target: { preset: "vulkan1.3", enable: [], disable: [], workarounds: [] },
   options: { lane_access: false, names: false, uniform_ranges_in_vec4s: false, captures: "extension" },
   key: "",
};

test("a translator that hangs or fails is replaced", async () => {
   // This worker does so for texts with these words.
   const faults = `self.addEventListener("message", ({ data }) => {
      if (data.argument.includes("HANG")) for (;;);
      if (data.argument.includes("THROW")) throw new Error("thrown");
   });`;
   const errors = bench.errors.length;
   const page = await bench.open("", {}, async (context) => {
      await context.route("**/worker.js", async (route) => {
         const response = await route.fetch();
         await route.fulfill({ response, body: faults + (await response.text()) });
      });
   });
   await page.waitForFunction(() => performance.getEntriesByName("translation").length > 0);
   const good = await file("examples/ubo_loop.nir");
   for (const [word, reason] of [["HANG", /more than 5 seconds/], ["THROW", /worker/]] as const) {
      await setText(page, `// ${word}\n${good}`);
      assert.match((await status(page)) ?? "", reason);
      assert.equal(await page.locator("#status.error").count(), 1);
      await setText(page, good);
      assert.equal(await page.locator("#status.error").count(), 0, word);
      assert.ok((await lines(page, "#spirv")).length > 10, word);
   }
   await page.context().close();
   // Only the errors of this page are expected.
   bench.errors.length = errors;
});

test("hostile inputs of runs, plans and links are errors in a page that goes on", async () => {
   const page = await bench.open();
   await setText(page, await file("examples/histogram.nir"));
   const hostile = [
      "", "{", "7", "[]", '{"groups": [4000000000, 4000000000, 4000000000]}', '{"buffers": [{"set": 0, "binding": 0, "size": 1e18}]}',
      '{"buffers": 7}', '{"draw": {"size": [1000000, 1000000]}}', "[".repeat(100_000), '{"groups": [-1, 0, 0.5]}',
   ];
   for (const [id, name, field] of [["run", "Run", 1], ["plan", "Plan", 1], ["link", "Link", 0]] as const) {
      await tab(page, name);
      for (const text of hostile) {
         const panel = page.locator(`#${id}`);
         if (id === "link") await writeOthers(page, id, text);
         else await panel.locator("textarea").nth(field).fill(text);
         await panel.getByRole("button", { name, exact: true }).click();
         await page.waitForFunction(() => !/working/.test(document.getElementById("status")?.textContent ?? ""));
         // A plan needs no limits, and a run without inputs has those of its template.
         const isRight = id !== "link" && text === "";
         const errors = (await panel.locator("ul.error li").count()) + (await page.locator("#status.error").count());
         assert.equal(errors > 0, !isRight, `${id} ${text.slice(0, 40)}`);
      }
   }
   await setText(page, await file("examples/ubo_loop.nir"));
   assert.ok((await lines(page, "#spirv")).length > 10);
   await page.context().close();
});

test("hostile texts are errors in a page that goes on", async () => {
   const page = await bench.open();
   const good = await file("examples/ubo_loop.nir");
   const head = "shader: MESA_SHADER_VERTEX\n";
   const hostile: Record<string, string> = {
      empty: "",
      binary: String.fromCharCode(...Array.from({ length: 4096 }, (_, at) => (at * 7919) % 256)),
      cut: good.slice(0, good.length / 2),
      "a line of a megabyte": head + "x".repeat(1 << 20),
      "deep nesting": `${head}decl_function main () (entrypoint)\n\nimpl main {\n${"    if %0 {\n".repeat(20000)}`,
      "a million lines": `${head}${"\n".repeat(1_000_000)}`,
      "huge numbers": good.replaceAll("32", "99999999999999999999"),
      "ten thousand shaders": head.repeat(10_000),
      "markup": `${head}name: <img src=x onerror=alert(1)>\n`,
      "no stage": "shader: MESA_SHADER_\n",
   };
   for (const [name, text] of Object.entries(hostile)) {
      await setText(page, text);
      assert.ok(await page.locator("#status.error").count(), `${name}: ${await status(page)}`);
   }
   await setText(page, good);
   assert.equal(await page.locator("#status.error").count(), 0);
   await page.context().close();
});

test("hostile links are errors in a page that works", async () => {
   const deflated = (value: unknown): string => shared(JSON.stringify(value));
   const links = [
      "#s=", "#s=%", "#s=AAAA", "#s=////", shared("{"), deflated(7), deflated({ text: 7 }),
      deflated({ target: [] }), deflated({ target: { enable: [1] } }), deflated({ options: { names: "yes" } }),
   ];
   for (const link of links) {
      const page = await bench.open(link);
      await page.waitForFunction(() => performance.getEntriesByName("translation").length > 0);
      assert.match((await status(page)) ?? "", /this link is damaged/, link);
      assert.ok((await lines(page, "#spirv")).length > 10, link);
      await page.context().close();
   }
   const page = await bench.open(deflated({ target: { preset: "vulkan9" }, key: "fly", tab: "nowhere", shader: -1 }));
   await page.locator("#status.error").waitFor();
   await page.context().close();
});

test("no request left the loopback, and no page had an error", () => {
   assert.ok(bench.requests.length > 50);
   assert.deepEqual(bench.requests.filter((url) => !url.startsWith(bench.address) && !url.startsWith("blob:")), []);
   assert.deepEqual(bench.errors, []);
});

test("screenshots", async () => {
   await mkdir(pathOf("docs/explorer"), { recursive: true });
   for (const colorScheme of ["light", "dark"] as const) {
      const page = await bench.open("", { colorScheme, viewport: { width: 1440, height: 800 } });
      await setText(page, await file("examples/ubo_loop.nir"));
      await page.locator(".pass", { has: page.locator("b", { hasText: /^lower_ubo$/ }) }).locator("summary").click();
      await page.locator(".pass .line-added").first().waitFor();
      await page.locator("#nir .cm-line", { hasText: "@load_ubo" }).first().click({ position: { x: 60, y: 6 } });
      await page.mouse.move(0, 0);
      await page.screenshot({ path: picture(colorScheme) });
      if (colorScheme === "light") {
         await tab(page, "Compare");
         await page.locator("#compare .note", { hasText: "words" }).waitFor();
         await page.getByRole("button", { name: "Use the whole page" }).click();
         await page.screenshot({ path: picture("compare") });
      }
      await page.context().close();
   }
   const page = await bench.open("", { viewport: { width: 1440, height: 800 } });
   await setText(page, await file("examples/histogram.nir"));
   await tab(page, "Run");
   await page.locator("#run textarea").nth(1).fill(JSON.stringify(SAMPLES));
   await page.locator("#run").getByRole("button", { name: "Run", exact: true }).click();
   await page.locator("#run table.words b").first().waitFor();
   await page.screenshot({ path: picture("run") });
   await page.context().close();
});

/** The path of a picture: in the documentation if it is renewed. */
function picture(name: string): string {
   return process.env["BLESS"] ? pathOf(`docs/explorer/${name}.png`) : `target/${name}.png`;
}

/** Samples of which `histogram.nir` counts the values: their number, the samples, and the counts. */
const SAMPLES = {
   buffers: [
      { set: 3, binding: 0, u32: [8, 3, 5, 5, 7, 3, 5, 1, 0] },
      { set: 3, binding: 1, size: 256 },
   ],
};

/** The fragment of a link that inflates to `text`. */
function shared(text: string): string {
   return `#s=${deflateRawSync(text).toString("base64url")}`;
}

/** A shader of one block in which `%0` is 0; `header` has more lines for its header. */
function shader(stage: string, header: string, body: string): string {
   return `shader: MESA_SHADER_${stage}
name: test
${header}decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32 %0 = load_const (0x00000000)
${body}    // succs: b1
    block b1:
}
`;
}

/** The store of four components to an output. */
function store(value: string, location: string): string {
   return `    @store_output (${value}, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=${location} slots=1)\n`;
}

/** A fragment shader of a hundred instructions. */
function hundred(): string {
   const adds = Array.from({ length: 94 }, (_, at) => `    32x4 %${at + 3} = fadd %${at + 2}, %2\n`).join("");
   const input = `    32x2 %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)
    32x4 %2 = @load_interpolated_input (%1, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
`;
   return shader("FRAGMENT", "", input + adds + store("%96", "FRAG_RESULT_DATA0"));
}

const COMPUTE = shader(
   "COMPUTE",
   "workgroup_size: 1, 1, 1\n",
   `    32 %1 = load_const (0x00000007)
    @store_ssbo (%1, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)
`,
);

const POINT = shader(
   "VERTEX",
   "",
   `    32x4 %1 = load_const (0x00000000, 0x00000000, 0x00000000, 0x3f800000)\n${store("%1", "VARYING_SLOT_POS")}`,
);

const RED = shader(
   "FRAGMENT",
   "",
   `    32x4 %1 = load_const (0x3f800000, 0x00000000, 0x00000000, 0x3f800000)\n${store("%1", "FRAG_RESULT_DATA0")}`,
);
