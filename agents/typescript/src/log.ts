/** Log lines, on standard error. */

import type { MatchEnd, MatchStart } from "./generated/broadside/v1/agent.js";

function write(level: string, text: string): void {
  process.stderr.write(`${new Date().toISOString()} ${level} ${text}\n`);
}

export const log = {
  info: (text: string) => write("INFO", text),
  warn: (text: string) => write("WARN", text),
  error: (text: string) => write("ERROR", text),

  start(start: MatchStart | undefined): void {
    if (start === undefined) return;
    const variant = start.options?.variant?.$case ?? "a variant unknown to this bot";
    log.info(`match ${start.matchId}: ${variant}, seat ${start.seat}, against ${start.opponent}`);
  },

  end(end: MatchEnd | undefined): void {
    if (end === undefined) return;
    log.info(`match ${end.matchId}: over, seat ${end.seat}: ${end.outcome?.message ?? ""}`);
  },
};
