/** The arena dials the bot. */

import { Server, ServerCredentials, status as Code } from "@grpc/grpc-js";
import type { Address } from "./address.js";
import { Exit } from "./exit.js";
import { type AgentProfile, type AgentServiceServer, AgentServiceService } from "./generated/broadside/v1/agent.js";
import { log } from "./log.js";
import type { Thinker } from "./thinker.js";

export interface Identity {
  cert: Buffer;
  key: Buffer;
}

const SERVER_OPTIONS = {
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.so_reuseport": 0,
};
/** How long calls may take to finish when the bot leaves. */
const GRACE_MS = 1_000;

/** What the arena asks of a bot that it dials. ChooseMove alone would do. */
function agentService(profile: AgentProfile, thinker: Thinker): AgentServiceServer {
  return {
    getProfile: (_, reply) => reply(null, { profile }),
    startMatch: ({ request }, reply) => {
      log.start(request.matchStart);
      reply(null, {});
    },
    chooseMove: async ({ request: { turn } }, reply) => {
      if (turn === undefined) return reply({ code: Code.INVALID_ARGUMENT, details: "turn: unset; it must be set" });
      reply(null, { decision: { $case: "move", value: await thinker.decide(turn) } });
    },
    endMatch: ({ request }, reply) => {
      log.end(request.matchEnd);
      reply(null, {});
    },
  };
}

/** Serves until the bot is told to leave. */
export async function serve(
  { host, port }: Address,
  credentials: ServerCredentials,
  profile: AgentProfile,
  thinker: Thinker,
  leave: AbortSignal,
): Promise<Exit> {
  const server = new Server(SERVER_OPTIONS);
  server.addService(AgentServiceService, agentService(profile, thinker));
  try {
    process.stdout.write(`serving on ${host}:${await bind(server, `${host}:${port}`, credentials)}\n`);
  } catch (error) {
    log.error(`cannot serve on ${host}:${port}: ${(error as Error).message}`);
    return Exit.Refused;
  }
  await new Promise((resolve) => {
    if (leave.aborted) resolve(undefined);
    leave.addEventListener("abort", resolve);
  });
  log.info("leaving");
  await shutdown(server);
  return Exit.Left;
}

function bind(server: Server, address: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => (error ? reject(error) : resolve(port)));
  });
}

function shutdown(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.forceShutdown(), GRACE_MS);
    server.tryShutdown(() => {
      clearTimeout(force);
      resolve();
    });
  });
}
