/** Where a bot's randomness comes from. */

import { createHash } from "node:crypto";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import type { RandomGenerator } from "pure-rand/types/RandomGenerator";
import type { Turn } from "./generated/broadside/v1/agent.js";

export type Random = RandomGenerator;

/** The generator for one turn, so that matches do not influence one another. A refused turn gets another one. */
export function randomFor(turn: Turn, seed: number): Random {
  const what = [seed, turn.matchId, turn.seat, turn.turnId, turn.refusalsLeft].join("/");
  return xoroshiro128plus(createHash("sha256").update(what).digest().readInt32LE());
}

/** One of the items, of which there is at least one. */
export function pick<T>(items: readonly T[], random: Random): T {
  return items[uniformInt(random, 0, items.length - 1)] as T;
}

/** So many different ones of the items, or all if there are fewer. */
export function sample<T>(items: readonly T[], size: number, random: Random): T[] {
  const left = [...items];
  const taken: T[] = [];
  while (taken.length < size && left.length > 0) {
    taken.push(...left.splice(uniformInt(random, 0, left.length - 1), 1));
  }
  return taken;
}
