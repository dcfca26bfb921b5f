/** Whether a move is one that a turn allows. */

import assert from "node:assert/strict";
import type { Turn } from "../src/generated/broadside/v1/agent.js";
import { Move } from "../src/generated/broadside/v1/game.js";
import type { Cell } from "../src/generated/broadside/v1/naval.js";

const text = (move: Move) => Buffer.from(Move.encode(move).finish()).toString("hex");

export function isOneOf(move: Move, moves: Move[]): boolean {
  return moves.some((other) => text(other) === text(move));
}

export function cellsOfSalvo({ variant }: Move): Cell[] {
  assert.ok(variant?.$case === "salvo" || variant?.$case === "advancedSalvo");
  assert.ok(variant.value.move?.$case === "salvo");
  return variant.value.move.value.cells;
}

export function assertLegal(turn: Turn, move: Move | undefined): void {
  assert.ok(move !== undefined);
  assert.equal(move.variant?.$case, turn.view?.variant?.$case);
  const salvo = turn.legalMoves?.salvo;
  if (salvo === undefined) return assert.ok(isOneOf(move, turn.legalMoves?.moves ?? []), JSON.stringify(move));
  const names = cellsOfSalvo(move).map(({ row, column }) => `${row}/${column}`);
  const allowed = salvo.cells.map(({ row, column }) => `${row}/${column}`);
  assert.equal(names.length, salvo.size);
  assert.equal(new Set(names).size, salvo.size);
  assert.ok(names.every((name) => allowed.includes(name)));
}
