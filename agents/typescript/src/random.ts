/** Where a bot's randomness comes from. */

import { createHash } from "node:crypto";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import type { RandomGenerator } from "pure-rand/types/RandomGenerator";
import type { Turn } from "./generated/broadside/v1/agent.js";
import { View } from "./generated/broadside/v1/game.js";

export type Random = RandomGenerator;

/**
 * The generator for one turn, made of the seed and of what the turn shows, so that matches do not influence one
 * another. A refused turn gets another one. The match's id, which the arena draws, is not in it: the same game is played alike.
 */
export function randomFor(turn: Turn, seed: number): Random {
  const view = turn.view ? View.encode(turn.view).finish() : new Uint8Array();
  const what = createHash("sha256").update([seed, turn.seat, turn.turnId, turn.refusalsLeft].join("/")).update(view);
  return xoroshiro128plus(what.digest().readInt32LE());
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
