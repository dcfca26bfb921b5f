/** Asks choose() for moves, whichever way the turns come. */

import { type Turn } from "./generated/broadside/v1/agent.js";
import { type Move, View } from "./generated/broadside/v1/game.js";
import { randomMove } from "./legal.js";
import { log } from "./log.js";
import { type Random, randomFor } from "./random.js";

export type Choose = (turn: Turn, random: Random) => Move | Promise<Move>;

export class Thinker {
  readonly #pending = new Map<string, Promise<Move>>();

  constructor(
    private readonly choose: Choose,
    private readonly seed: number,
  ) {}

  /** The move for a turn; never fails. A turn that comes again while it is thought about is not thought about twice. */
  decide(turn: Turn): Promise<Move> {
    // The view is in the key because two arenas that dial one bot may both have a match 1.
    const view = turn.view ? View.encode(turn.view).finish() : [];
    const key = `${turn.matchId}/${turn.turnId}/${turn.refusalsLeft}/${Buffer.from(view).toString("base64")}`;
    let move = this.#pending.get(key);
    if (move === undefined) {
      move = this.#think(turn).finally(() => this.#pending.delete(key));
      this.#pending.set(key, move);
    }
    return move;
  }

  /** choose(), but any legal move if that fails or if the arena refused what it chose. */
  async #think(turn: Turn): Promise<Move> {
    const random = randomFor(turn, this.seed);
    if (turn.refusal !== undefined) {
      log.warn(`match ${turn.matchId}: move refused: ${turn.refusal.message}`);
      return randomMove(turn, random);
    }
    try {
      return await this.choose(turn, random);
    } catch (error) {
      const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
      log.error(`match ${turn.matchId}, turn ${turn.turnId}: choose() failed: ${why}`);
      return randomMove(turn, random);
    }
  }
}
