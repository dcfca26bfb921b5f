/** The bot as it is started. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../..", import.meta.url));

export class Program {
  readonly #process: ChildProcess;
  readonly #over: Promise<number | null>;
  output = "";
  log = "";

  constructor(context: TestContext, options: string[], environment: Record<string, string> = {}) {
    const env = { ...process.env, BROADSIDE_TOKEN: "", ...environment };
    this.#process = spawn("./bot", options, { cwd: FOLDER, env, stdio: ["ignore", "pipe", "pipe"] });
    this.#process.stdout!.on("data", (text) => (this.output += text));
    this.#process.stderr!.on("data", (text) => (this.log += text));
    this.#over = new Promise((resolve) => this.#process.on("close", resolve));
    context.after(() => this.#process.kill("SIGKILL"));
  }

  /** Waits for the exit status. */
  over(): Promise<number | null> {
    return this.#over;
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Waits until the log says so. */
  async logs(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.log)) {
      await new Promise((resolve, reject) => {
        this.#process.stderr!.once("data", resolve);
        this.#process.once("close", () => reject(new Error(`it never said ${pattern}: ${this.log}`)));
      });
    }
  }

  /** Where the bot says that it serves. */
  async address(): Promise<string> {
    await new Promise((resolve) => {
      this.#process.stdout!.once("data", resolve);
      this.#process.once("close", resolve);
    });
    assert.match(this.output, /^serving on 127\.0\.0\.1:\d+\n$/, this.log);
    return this.output.trim().replace("serving on ", "");
  }
}
