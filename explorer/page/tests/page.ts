// SPDX-License-Identifier: MIT

/** Starts `ntv explore` and Debian's Chromium for the tests. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

/** The root of the repository: the tests run in `explorer/page/`. */
const ROOT = resolve("../..");

/** The command that has the page in it. */
const NTV = process.env["NTV"] ?? resolve(ROOT, "target/debug/ntv");

/** The contents of a file of the repository. */
export function file(path: string): Promise<string> {
   return readFile(resolve(ROOT, path), "utf8");
}

/** The path of a file of the repository. */
export function pathOf(path: string): string {
   return resolve(ROOT, path);
}

/** The output of the command `ntv`, as bytes. */
export async function ntv(...words: string[]): Promise<Buffer> {
   const options = { encoding: "buffer" as const, maxBuffer: 64 << 20, cwd: ROOT };
   return (await promisify(execFile)(NTV, words, options)).stdout;
}

/** A running server, a browser, and all requests that its pages made. */
export class Bench {
   readonly requests: string[] = [];

   private constructor(
      private readonly server: ChildProcess,
      readonly address: string,
      private readonly browser: Browser,
   ) {}

   /** Starts the server, with a dump if one is given, and the browser. */
   static async start(...words: string[]): Promise<Bench> {
      const server = spawn(NTV, ["explore", "--no-open", ...words], { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
      const [address] = (await once(createInterface(server.stdout), "line")) as [string];
      // Chromium's own sandbox does not work for root, and the tests run as root in containers.
      const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
      return new Bench(server, address, browser);
   }

   /** A page that has begun. `prepare` may change its context before. Errors of the page and of its policy are in `errors`. */
   async open(
      fragment = "",
      options: Parameters<Browser["newContext"]>[0] = {},
      prepare: (context: BrowserContext) => Promise<void> = () => Promise.resolve(),
   ): Promise<Page> {
      const context: BrowserContext = await this.browser.newContext(options);
      await prepare(context);
      context.on("request", (request) => this.requests.push(request.url()));
      const page = await context.newPage();
      page.on("pageerror", (error) => this.errors.push(error.message));
      page.on("console", (message) => {
         if (message.type() === "error") this.errors.push(message.text());
      });
      await page.goto(this.address + fragment);
      await page.waitForFunction(() => document.getElementById("status")?.textContent);
      return page;
   }

   /** What the pages reported. */
   readonly errors: string[] = [];

   async stop(): Promise<void> {
      await this.browser.close();
      this.server.kill();
   }
}

/** Replaces the text of the editor, and waits until the page has translated it. */
export async function setText(page: Page, text: string): Promise<void> {
   // Of the page's own text: on a busy machine it is still under way, and would be taken for that of the new one.
   await page.waitForFunction(() => performance.getEntriesByName("translation").length > 0);
   await translated(page, () =>
      page.evaluate((text) => {
         const data = new DataTransfer();
         data.items.add(new File([text], "shader.nir"));
         document.querySelector("#nir")?.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
      }, text),
   );
}

/** Does something, and waits until the page has shown a translation after it. */
export async function translated(page: Page, act: () => Promise<unknown>): Promise<void> {
   const before = await count(page);
   await act();
   await page.waitForFunction((before) => performance.getEntriesByName("translation").length > before, before);
}

/** The number of translations that the page has shown. */
function count(page: Page): Promise<number> {
   return page.evaluate(() => performance.getEntriesByName("translation").length);
}
