/** One stream to the arena, from hello to its end. */

import {
  type ChannelCredentials,
  type ClientDuplexStream,
  type Metadata,
  type StatusObject,
  status as Code,
} from "@grpc/grpc-js";
import type { Desk } from "./desk.js";
import { Exit } from "./exit.js";
import {
  type ConnectRequest,
  type ConnectResponse,
  GatewayServiceClient,
  type Hello,
  type SessionEnd,
  SessionEndReason,
  type Turn,
  type Welcome,
} from "./generated/broadside/v1/agent.js";
import { log } from "./log.js";

const CHANNEL_OPTIONS = {
  // Notices within 20 s that the arena has gone without a word.
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.keepalive_permit_without_calls": 1,
  // Each session makes its own connection: a shared one would keep its own time about dialling again.
  "grpc.use_local_subchannel_pool": 1,
};
/** How long the arena may say nothing before its welcome tells of its heartbeats. */
const WELCOME_WITHIN_MS = 30_000;
/** How long an arena may take to end the stream of a bot that leaves. */
const FAREWELL_MS = 2_000;

const REFUSALS: readonly Code[] = [
  Code.INVALID_ARGUMENT,
  Code.FAILED_PRECONDITION,
  Code.UNAUTHENTICATED,
  Code.PERMISSION_DENIED,
  Code.UNIMPLEMENTED,
];

/** Why a session is over; with an exit status if no other shall follow. */
export interface End {
  reason: string;
  exit?: Exit;
}

export class Session {
  onWelcome: (welcome: Welcome) => void = () => {};
  readonly #client: GatewayServiceClient;
  readonly #call: ClientDuplexStream<ConnectRequest, ConnectResponse>;
  readonly #ended: Promise<End>;
  #open = true;
  #welcomed = false;
  /** Known before the stream has ended, if the reason is not the stream's status. */
  #end: End | undefined;
  /** What the arena said of the end that its status decides. */
  #words = "";
  #silenceMs = WELCOME_WITHIN_MS;
  #silence: NodeJS.Timeout | undefined;

  constructor(
    private readonly target: string,
    channel: ChannelCredentials,
    metadata: Metadata,
    hello: Hello,
    private readonly desk: Desk,
  ) {
    this.#client = new GatewayServiceClient(target, channel, CHANNEL_OPTIONS);
    this.#call = this.#client.connect(metadata);
    this.#ended = new Promise((resolve) => {
      this.#call.on("status", (status) => resolve(this.#end ?? this.#endBy(status)));
    });
    this.#call.on("error", () => {}); // its status says the same
    this.#call.on("data", (message: ConnectResponse) => this.#take(message));
    this.#call.write({ message: { $case: "hello", value: hello } });
    this.#listen();
  }

  /** Plays to the end of the stream. */
  async run(leave: AbortSignal): Promise<End> {
    let farewell: NodeJS.Timeout | undefined;
    const depart = () => {
      if (!this.#welcomed) return this.#call.cancel();
      this.#call.end();
      farewell = setTimeout(() => this.#call.cancel(), FAREWELL_MS);
    };
    if (leave.aborted) depart();
    leave.addEventListener("abort", depart);
    try {
      return await this.#ended;
    } finally {
      this.#open = false;
      leave.removeEventListener("abort", depart);
      clearTimeout(farewell);
      clearTimeout(this.#silence);
      this.#client.close();
    }
  }

  #take({ message }: ConnectResponse): void {
    this.#listen();
    switch (message?.$case) {
      case "welcome":
        this.#welcomed = true;
        this.#silenceMs = 3 * (message.value.limits?.heartbeatIntervalMs || WELCOME_WITHIN_MS / 3);
        this.#listen();
        this.desk.keep(message.value.runningMatches);
        return this.onWelcome(message.value);
      case "turn":
        return this.#answer(message.value);
      case "matchStart":
        return log.start(message.value);
      case "matchEnd":
        this.desk.forget(message.value.matchId, message.value.seat);
        return log.end(message.value);
      case "rejected":
        return log.warn(`match ${message.value.matchId}: answer rejected: ${message.value.message}`);
      case "sessionEnd":
        return this.#over(message.value);
      // Heartbeats need no answer, and messages of later versions are none of this bot's business.
    }
  }

  #answer(turn: Turn): void {
    const { matchId, turnId } = turn;
    this.desk.take(turn, (move) => {
      // If the stream is gone the arena sends the turn again on the next one.
      if (!this.#open || this.#call.writableEnded) return;
      this.#call.write({ message: { $case: "answer", value: { matchId, turnId, move } } });
    });
  }

  #over(end: SessionEnd): void {
    const reason = `the arena ends the session: ${end.message}`;
    if (end.reason === SessionEndReason.TAKEN_OVER) {
      // Dialling again would only take the name back, and so on for ever.
      this.#finish({ reason, exit: Exit.TakenOver });
    } else if (end.reason === SessionEndReason.TOKEN_REVOKED) {
      this.#finish({ reason, exit: Exit.Refused });
    } else {
      this.#words = `${reason}; `; // also of a reason that this bot does not know
    }
  }

  #endBy({ code, details }: StatusObject): End {
    if (code === Code.OK) return { reason: `${this.#words}the arena ended the stream` };
    const reason = `${this.#words}${Code[code] ?? code}: ${details}`;
    if (code === Code.ABORTED) return { reason: `another bot took this session over: ${reason}`, exit: Exit.TakenOver };
    if (!REFUSALS.includes(code)) return { reason };
    return { reason: `refused by the arena at ${this.target}: ${reason}`, exit: Exit.Refused };
  }

  /** Ends the stream from this side. */
  #finish(end: End): void {
    this.#end = end;
    this.#call.cancel();
  }

  /** Something was heard: the wait for the next sign of life begins anew. */
  #listen(): void {
    clearTimeout(this.#silence);
    const silenceMs = this.#silenceMs;
    this.#silence = setTimeout(
      () => this.#finish({ reason: `nothing heard from the arena for ${silenceMs / 1000} s` }),
      silenceMs,
    );
  }
}
