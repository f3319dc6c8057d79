// SPDX-License-Identifier: MIT

/** The line of the input whose results are marked in all panes. */

type Listener = (line: number | null, isPinned: boolean) => void;

/** A marked line: the one below the pointer, otherwise the one that was clicked, or that has the cursor. */
export class Marks {
   private hovered: number | null = null;
   private pinned: number | null = null;
   private readonly listeners = new Set<Listener>();

   /** The marked line of the input, counted from 1. */
   get line(): number | null {
      return this.hovered ?? this.pinned;
   }

   /** The line that stays marked without a pointer. */
   get pinnedLine(): number | null {
      return this.pinned;
   }

   /** Calls `listener` now and after each change. The result ends this. */
   listen(listener: Listener): () => void {
      this.listeners.add(listener);
      listener(this.line, false);
      return () => this.listeners.delete(listener);
   }

   /** The pointer is over something that came of `line`. */
   hover(line: number | null): void {
      if (line === this.hovered) return;
      this.hovered = line;
      this.tell(false);
   }

   /** Something that came of `line` was clicked, or has the cursor. */
   pin(line: number | null): void {
      if (line === this.pinned) return;
      this.pinned = line;
      this.hovered = null;
      this.tell(true);
   }

   private tell(isPinned: boolean): void {
      for (const listener of this.listeners) listener(this.line, isPinned);
   }
}

/** The marks of the page. */
export const marks = new Marks();
