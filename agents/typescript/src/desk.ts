/** Where turns lie until the next one. It outlives the streams: a move is sent again where its turn comes again. */

import type { Turn } from "./generated/broadside/v1/agent.js";
import type { Move, Seat } from "./generated/broadside/v1/game.js";
import type { Thinker } from "./thinker.js";

export type Deliver = (move: Move) => void;

interface Lying {
  turnId: number;
  refusalsLeft: number;
  /** Once it is decided. */
  move?: Move;
  /** Who brought the turn last. */
  deliver: Deliver;
}

export class Desk {
  /** One turn a seat, by match: the arena asks a seat for one at a time. */
  readonly #matches = new Map<number, Map<Seat, Lying>>();

  constructor(private readonly thinker: Thinker) {}

  /**
   * Delivers the move for a turn, unless another turn of its seat comes first or the match ends. The same turn, brought
   * again, is not thought about again.
   */
  take(turn: Turn, deliver: Deliver): void {
    const seats = this.#matches.get(turn.matchId) ?? new Map<Seat, Lying>();
    this.#matches.set(turn.matchId, seats);
    const known = seats.get(turn.seat);
    if (known?.turnId === turn.turnId && known.refusalsLeft === turn.refusalsLeft) {
      known.deliver = deliver;
      if (known.move !== undefined) deliver(known.move);
      return;
    }
    const lying: Lying = { turnId: turn.turnId, refusalsLeft: turn.refusalsLeft, deliver };
    seats.set(turn.seat, lying);
    void this.thinker.decide(turn).then((move) => {
      if (this.#matches.get(turn.matchId)?.get(turn.seat) !== lying) return;
      lying.move = move;
      lying.deliver(move);
    });
  }

  /** A seat's match is over. */
  forget(matchId: number, seat: Seat): void {
    const seats = this.#matches.get(matchId);
    seats?.delete(seat);
    if (seats?.size === 0) this.#matches.delete(matchId);
  }

  /** No other matches than these go on. */
  keep(running: readonly number[]): void {
    for (const matchId of this.#matches.keys()) if (!running.includes(matchId)) this.#matches.delete(matchId);
  }
}
