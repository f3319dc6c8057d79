// SPDX-License-Identifier: MIT

/** The state as a part of a link: JSON, deflated by the browser, in the alphabet of base64url. */

/** The most bytes of a state. A link that inflates to more is refused. */
const MOST = 16 << 20;

const PREFIX = "#s=";

/** The fragment of a link that holds `state`. */
export async function toFragment(state: unknown): Promise<string> {
   const bytes = new TextEncoder().encode(JSON.stringify(state));
   const deflated = await collect(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw")));
   let binary = "";
   for (const byte of deflated) binary += String.fromCharCode(byte);
   return PREFIX + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The state of a fragment, not checked; null if the fragment has none. */
export async function fromFragment(fragment: string): Promise<unknown> {
   if (!fragment.startsWith(PREFIX)) return null;
   const binary = atob(fragment.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/"));
   const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
   const inflated = await collect(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")));
   return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(inflated));
}

/** The bytes of a stream, up to `MOST`. */
async function collect(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
   const parts: Uint8Array<ArrayBuffer>[] = [];
   let length = 0;
   const reader = stream.getReader();
   for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length > MOST) {
         await reader.cancel();
         throw new Error("it holds more than 16 MB");
      }
      parts.push(new Uint8Array(value));
   }
   return new Uint8Array(await new Blob(parts).arrayBuffer());
}
