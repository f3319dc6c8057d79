// SPDX-License-Identifier: MIT

/** The state of this tab of the browser, so that a reload does not lose an edit. */

const KEY = "ntv-explorer";

/** Saves a state, for a page that began with `origin`. */
export function save(origin: string, state: unknown): void {
   try {
      sessionStorage.setItem(KEY, JSON.stringify({ origin, state }));
   } catch {
      // The browser has no room for it, or does not let pages save anything.
   }
}

/** The state that was saved, not checked; null if there is none for a page that begins with `origin`. It is there once. */
export function saved(origin: string): unknown {
   const text = sessionStorage.getItem(KEY);
   sessionStorage.removeItem(KEY);
   if (text === null) return null;
   const found = JSON.parse(text) as { origin?: unknown; state?: unknown };
   return found.origin === origin ? (found.state ?? null) : null;
}
