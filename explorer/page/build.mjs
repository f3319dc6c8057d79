// SPDX-License-Identifier: MIT

// Bundles the page into `dist/`, or with `--tests` the browser tests into `target/tests/`. `cargo xtask explorer` has written the
// translator to `target/wasm/` before.

import { build } from "esbuild";
import { cp, mkdir, readdir, rm } from "node:fs/promises";

const common = { bundle: true, format: "esm", target: "es2022", legalComments: "none", logLevel: "warning" };

async function page() {
   await rm("dist", { recursive: true, force: true });
   await mkdir("dist", { recursive: true });
   await build({
      ...common,
      entryPoints: { main: "src/main.ts", worker: "src/worker.ts", "graph-worker": "src/graph-worker.ts", style: "src/style.css" },
      alias: { "ntv-explorer-wasm": "./target/wasm/ntv_explorer.js" },
      minify: true,
      // `main.js` starts the translator, and then loads the rest of the page.
      splitting: true,
      chunkNames: "[name]",
      outdir: "dist",
   });
   await cp("target/wasm/ntv_explorer_bg.wasm", "dist/ntv_explorer_bg.wasm");
   await cp("src/index.html", "dist/index.html");
   await cp("src/icon.svg", "dist/icon.svg");
}

async function tests() {
   await rm("target/tests", { recursive: true, force: true });
   const files = (await readdir("tests")).filter((name) => name.endsWith(".test.ts"));
   await build({
      ...common,
      entryPoints: files.map((name) => `tests/${name}`),
      platform: "node",
      packages: "external",
      outdir: "target/tests",
      outExtension: { ".js": ".mjs" },
   });
}

await (process.argv.includes("--tests") ? tests() : page());
