/** A fake arena that bots dial: it plays one script a connection. */

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { Metadata, Server, ServerCredentials, type ServerDuplexStream, type status as Code } from "@grpc/grpc-js";
import {
  type ConnectRequest,
  ConnectResponse,
  GatewayServiceService,
  type Hello,
  type SessionEndReason,
  type Turn,
  type TurnAnswer,
} from "../src/generated/broadside/v1/agent.js";

type Message = NonNullable<Parameters<typeof ConnectResponse.fromPartial>[0]["message"]>;
export type Script = (line: Line) => Promise<unknown>;

/** One connection, as the arena sees it. */
export class Line {
  readonly metadata: Metadata;
  readonly #heard: AsyncIterator<ConnectRequest>;

  constructor(private readonly call: ServerDuplexStream<ConnectRequest, ConnectResponse>) {
    this.metadata = call.metadata;
    this.#heard = call[Symbol.asyncIterator]();
  }

  send(message?: Message): void {
    this.call.write(ConnectResponse.fromPartial(message ? { message } : {}));
  }

  async hello(): Promise<Hello> {
    const message = await this.#next();
    assert.ok(message?.$case === "hello", `no hello: ${message?.$case}`);
    return message.value;
  }

  async answer(): Promise<TurnAnswer> {
    const message = await this.#next();
    assert.ok(message?.$case === "answer", `no answer: ${message?.$case}`);
    return message.value;
  }

  /** Hears the hello and welcomes the bot. */
  async welcome(resumeToken: string, heartbeatIntervalMs = 5_000, runningMatches: number[] = []): Promise<Hello> {
    const hello = await this.hello();
    const limits = { heartbeatIntervalMs };
    this.send({
      $case: "welcome",
      value: { protocolVersion: 1, resumeToken, resumed: hello.resumeToken !== "", limits, runningMatches },
    });
    return hello;
  }

  ask(turn: Turn): void {
    this.send({ $case: "turn", value: turn });
  }

  endSession(reason: SessionEndReason): void {
    this.send({ $case: "sessionEnd", value: { reason, message: "the test is over" } });
  }

  /** Waits until the bot has ended its side in order. */
  async ended(): Promise<void> {
    assert.equal((await this.#heard.next()).done, true);
  }

  /** Waits until the bot is gone, however it goes. */
  gone(): Promise<void> {
    return new Promise((resolve) => this.call.on("cancelled", resolve));
  }

  end(): void {
    this.call.end();
  }

  fail(code: Code, details: string): void {
    this.call.emit("error", { code, details });
  }

  async #next(): Promise<ConnectRequest["message"]> {
    const { value, done } = await this.#heard.next();
    assert.ok(!done, "the bot ended the stream");
    return (value as ConnectRequest).message;
  }
}

export class FakeArena {
  readonly #server = new Server();
  readonly #scripts: Script[];
  readonly #played: Promise<unknown>[] = [];
  port = 0;

  private constructor(scripts: Script[]) {
    this.#scripts = scripts;
    this.#server.addService(GatewayServiceService, {
      connect: (call: ServerDuplexStream<ConnectRequest, ConnectResponse>) => {
        const script = this.#scripts.shift() ?? (() => assert.fail("one connection too many"));
        const played = Promise.resolve(new Line(call)).then(script);
        this.#played.push(played);
        played.catch((error: Error) => call.emit("error", { code: 9, details: `the test failed: ${error.message}` }));
      },
    });
  }

  static async start(
    context: TestContext,
    scripts: Script[],
    port = 0,
    credentials?: ServerCredentials,
  ): Promise<FakeArena> {
    const arena = new FakeArena(scripts);
    arena.port = await new Promise<number>((resolve, reject) => {
      const bound = (error: Error | null, port: number) => (error ? reject(error) : resolve(port));
      arena.#server.bindAsync(`127.0.0.1:${port}`, credentials ?? ServerCredentials.createInsecure(), bound);
    });
    context.after(() => arena.stop());
    return arena;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Fails unless every script was played to its end. */
  async check(): Promise<void> {
    await Promise.all(this.#played);
    assert.equal(this.#scripts.length, 0, "too few connections");
  }

  /** Cuts every connection without a word. */
  stop(): void {
    this.#server.forceShutdown();
  }
}
