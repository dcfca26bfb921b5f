/** Any legal move of any variant. */

import type { Turn } from "./generated/broadside/v1/agent.js";
import type { Move } from "./generated/broadside/v1/game.js";
import { type Random, pick, sample } from "./random.js";

/** One move of the list, or in the salvo variants so many cells of a list. */
export function randomMove(turn: Turn, random: Random): Move {
  const legal = turn.legalMoves;
  if (legal?.salvo !== undefined) {
    const salvo = { $case: "salvo", value: { cells: sample(legal.salvo.cells, legal.salvo.size, random) } } as const;
    switch (turn.view?.variant?.$case) {
      case "salvo":
        return { variant: { $case: "salvo", value: { move: salvo } } };
      case "advancedSalvo":
        return { variant: { $case: "advancedSalvo", value: { move: salvo } } };
    }
  }
  const moves = legal?.moves ?? [];
  return moves.length > 0 ? pick(moves, random) : { variant: undefined };
}
