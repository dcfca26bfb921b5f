/** What to play: yours. Everything else in this folder can stay. */

import type { Turn } from "./generated/broadside/v1/agent.js";
import type { ClassicView } from "./generated/broadside/v1/classic.js";
import { type Move, Phase } from "./generated/broadside/v1/game.js";
import type { Cell } from "./generated/broadside/v1/naval.js";
import { randomMove } from "./legal.js";
import { type Random, pick } from "./random.js";

/**
 * Decides one turn. REPLACE THIS, one variant at a time.
 *
 * A turn is complete: no memory is needed between turns. It may return a promise, and then holds up no other match.
 * `random` is of this turn alone: the same turn, asked again, is answered alike.
 */
export function choose(turn: Turn, random: Random): Move | Promise<Move> {
  const view = turn.view?.variant;
  if (view?.$case === "classic" && turn.phase === Phase.BATTLE) return hunt(turn, view.value, random);
  return randomMove(turn, random);
}

/** The example, for classic: shoot next to a hit on a ship that is still afloat. */
function hunt(turn: Turn, view: ClassicView, random: Random): Move {
  const sunk = new Set(view.targets?.sunk.map((sinking) => sinking.shipClass));
  // One class a hit; none at all if this match does not name the ship that is hit.
  const classes = view.targets?.hitClasses ?? [];
  const wounds = (view.targets?.grid?.hits ?? []).filter((_, nth) => !sunk.has(classes[nth] ?? -1)).map(cellOf);
  const near = (cell: Cell) => wounds.some((w) => Math.abs(w.row - cell.row) + Math.abs(w.column - cell.column) === 1);

  const moves = (turn.legalMoves?.moves ?? []).filter((move) => {
    const shot = move.variant?.$case === "classic" ? move.variant.value.move : undefined;
    return shot?.$case === "shot" && shot.value.cell !== undefined && near(shot.value.cell);
  });
  return moves.length > 0 ? pick(moves, random) : randomMove(turn, random);
}

/** A view numbers the cells 1-100; a move has row and column, 1-10. */
function cellOf(number: number): Cell {
  return { row: Math.floor((number - 1) / 10) + 1, column: ((number - 1) % 10) + 1 };
}
