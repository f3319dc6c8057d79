// SPDX-License-Identifier: MIT

/** Calls the translator, which runs in a worker so that the page stays responsive. */

/** A call for a worker. */
export interface Call {
   id: number;
   name: string;
   argument: string;
}

/** What a worker answers: the text, or the reason why there is none. */
export type Reply = { id: number; text: string } | { id: number; error: string };

/** A call that waits for its turn or for its answer. */
interface Waiting extends Call {
   resolve: (text: string) => void;
   reject: (error: Error) => void;
}

/** A worker that answers calls one after the other. A worker that takes too long, or fails, is replaced by a new one. */
export class Engine {
   private worker: Worker | null = null;
   private readonly waiting: Waiting[] = [];
   private current: Waiting | null = null;
   private timer = 0;
   private lastId = 0;

   /** `script` is the name of the worker's file, and `seconds` the longest time of a call. */
   constructor(
      private readonly script: string,
      private readonly seconds: number,
   ) {}

   /** Starts the worker before its first call. */
   start(): void {
      this.worker ??= this.startWorker();
   }

   /** The answer of the function `name`, parsed. */
   async ask<Answer>(name: string, argument: unknown): Promise<Answer> {
      return JSON.parse(await this.text(name, typeof argument === "string" ? argument : JSON.stringify(argument))) as Answer;
   }

   /** The answer of the function `name`, as text. */
   text(name: string, argument: string): Promise<string> {
      return new Promise((resolve, reject) => {
         this.waiting.push({ id: ++this.lastId, name, argument, resolve, reject });
         this.next();
      });
   }

   private startWorker(): Worker {
      const worker = new Worker(new URL(this.script, document.baseURI), { type: "module" });
      worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => this.receive(data));
      worker.addEventListener("error", () => this.fail("the worker could not be started or has stopped"));
      return worker;
   }

   private next(): void {
      if (this.current) return;
      const call = this.waiting.shift();
      if (!call) return;
      this.current = call;
      this.start();
      this.timer = window.setTimeout(
         () => this.fail(`this took more than ${this.seconds} seconds and was stopped`),
         this.seconds * 1000,
      );
      this.worker?.postMessage({ id: call.id, name: call.name, argument: call.argument } satisfies Call);
   }

   private receive(reply: Reply): void {
      const call = this.current;
      if (reply.id !== call?.id) return;
      if ("error" in reply) return this.fail(reply.error);
      this.finish();
      call.resolve(reply.text);
      this.next();
   }

   /** A worker that failed may be in any state, so the next call gets a new one. */
   private fail(reason: string): void {
      const call = this.current;
      this.worker?.terminate();
      this.worker = null;
      this.finish();
      call?.reject(new Error(reason));
      if (call) this.start();
      this.next();
   }

   private finish(): void {
      window.clearTimeout(this.timer);
      this.current = null;
   }
}

/** Runs one task at a time. Of the tasks that come meanwhile, only the latest one runs. */
export class Latest {
   private task: (() => Promise<void>) | null = null;
   private isRunning = false;

   run(task: () => Promise<void>): void {
      this.task = task;
      if (!this.isRunning) void this.drain();
   }

   private async drain(): Promise<void> {
      this.isRunning = true;
      try {
         while (this.task) {
            const task = this.task;
            this.task = null;
            await task();
         }
      } finally {
         this.isRunning = false;
      }
   }
}
