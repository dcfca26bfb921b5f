/** The bot dials the arena: any number of matches on one stream, and again when it breaks. */

import { setTimeout as sleep } from "node:timers/promises";
import { type ChannelCredentials, Metadata, credentials } from "@grpc/grpc-js";
import type { Address } from "./address.js";
import { Desk } from "./desk.js";
import { Exit } from "./exit.js";
import type { AgentProfile } from "./generated/broadside/v1/agent.js";
import { log } from "./log.js";
import { Session } from "./session.js";
import type { Thinker } from "./thinker.js";

export interface Arena {
  address: Address;
  /** The authority to trust, in PEM, if it is not a public one. */
  ca: Buffer | undefined;
  token: string | undefined;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;

/** Plays until the bot is refused, replaced or told to leave. */
export async function dial(arena: Arena, profile: AgentProfile, thinker: Thinker, leave: AbortSignal): Promise<Exit> {
  const target = `${arena.address.host}:${arena.address.port}`;
  const channel = channelCredentials(arena);
  const metadata = new Metadata();
  if (arena.token) metadata.set("authorization", `Bearer ${arena.token}`);

  const desk = new Desk(thinker);
  let resumeToken = "";
  let wait = FIRST_WAIT_MS;
  for (;;) {
    const session = new Session(target, channel, metadata, { protocolVersion: 1, profile, resumeToken }, desk);
    session.onWelcome = (welcome) => {
      log.info(`connected to ${target} as ${profile.name}, resumed: ${welcome.resumed}`);
      resumeToken = welcome.resumeToken;
      wait = FIRST_WAIT_MS;
    };
    const end = await session.run(leave);
    if (end.exit !== undefined) {
      log.error(end.reason);
      return end.exit;
    }
    if (!leave.aborted) {
      const pause = wait * (0.5 + Math.random() / 2);
      log.warn(`${end.reason}; dialling again in ${(pause / 1000).toFixed(1)} s`);
      await sleep(pause, undefined, { signal: leave }).catch(() => {});
      wait = Math.min(2 * wait, LONGEST_WAIT_MS);
    }
    if (leave.aborted) {
      log.info("leaving");
      return Exit.Left;
    }
  }
}

function channelCredentials({ address, ca }: Arena): ChannelCredentials {
  return address.tls ? credentials.createSsl(ca ?? null) : credentials.createInsecure();
}
