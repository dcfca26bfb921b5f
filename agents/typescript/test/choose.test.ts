import assert from "node:assert/strict";
import { test } from "node:test";
import { choose } from "../src/choose.js";
import type { Turn } from "../src/generated/broadside/v1/agent.js";
import { type Move, Phase } from "../src/generated/broadside/v1/game.js";
import { ShipClass } from "../src/generated/broadside/v1/naval.js";
import { randomFor } from "../src/random.js";
import { assertLegal, isOneOf } from "./legality.js";
import * as turns from "./turns.js";

/** What is played in so many games. */
async function played(turn: Turn, games = 200): Promise<Move[]> {
  const moves = [];
  for (let seed = 0; seed < games; seed++) moves.push(await choose(turn, randomFor(turn, seed)));
  return moves;
}

async function assertPlaysThemAll(turn: Turn, moves: Move[]): Promise<void> {
  const chosen = await played(turn);
  for (const move of chosen) assertLegal(turn, move);
  for (const move of moves) assert.ok(isOneOf(move, chosen), `never plays ${JSON.stringify(move)}`);
}

for (const variant of turns.ONE_SHOT) {
  test(`${variant}: a shot is one of the list, and any of them`, async () => {
    const moves = [turns.shot(variant, 1, 10), turns.shot(variant, 10, 1), turns.shot(variant, 4, 7)];
    await assertPlaysThemAll(turns.turnOf(variant, moves), moves);
  });
}

test("amiral-advanced: every kind of move is played", async () => {
  await assertPlaysThemAll(turns.turnOf("amiralAdvanced", turns.advancedMoves()), turns.advancedMoves());
});

test("amiral-advanced: a relocation is one of the list", async () => {
  const berth = { edge: { $case: "number", value: 3 } } as const;
  const moves = [turns.move({ $case: "amiralAdvanced", value: { move: { $case: "relocation", value: { berth } } } })];
  await assertPlaysThemAll(turns.turnOf("amiralAdvanced", moves, { phase: Phase.RELOCATION }), moves);
});

test("abalone: a move is one of the list, and any of them", async () => {
  await assertPlaysThemAll(turns.turnOf("abalone", turns.abaloneMoves()), turns.abaloneMoves());
});

for (const variant of ["classic", "salvo", "advancedSalvo", "amiral", "naumachia"] as const) {
  test(`${variant}: a fleet is the one dealt`, async () => {
    const dealt = turns.move({ $case: variant, value: { move: { $case: "deployment", value: turns.fleet() } } });
    await assertPlaysThemAll(turns.turnOf(variant, [dealt], { phase: Phase.DEPLOYMENT }), [dealt]);
  });
}

test("amiral-advanced: a fleet has its berth", async () => {
  const deployment = { fleet: turns.fleet(), berth: { edge: { $case: "letter", value: 2 } } } as const;
  const dealt = turns.move({ $case: "amiralAdvanced", value: { move: { $case: "deployment", value: deployment } } });
  await assertPlaysThemAll(turns.turnOf("amiralAdvanced", [dealt], { phase: Phase.DEPLOYMENT }), [dealt]);
});

for (const variant of turns.SALVO) {
  for (const [size, left] of [
    [5, 100],
    [1, 3],
    [2, 2],
  ] as const) {
    test(`${variant}: a salvo names ${size} different cells of ${left}`, async () => {
      const turn = turns.salvoTurn(variant, turns.everyCell().slice(0, left), size);
      for (const move of await played(turn)) assertLegal(turn, move);
    });
  }
}

async function shotsOf(turn: Turn, games = 200): Promise<string[]> {
  const cells = (await played(turn, games)).map(({ variant }) => {
    assert.ok(variant?.$case === "classic" && variant.value.move?.$case === "shot");
    return `${variant.value.move.value.cell?.row}/${variant.value.move.value.cell?.column}`;
  });
  return [...new Set(cells)].sort();
}

test("classic: it shoots beside an open hit", async () => {
  // Cell 10 is row 1, column 10, and the next number is no neighbour.
  assert.deepEqual(await shotsOf(turns.classicTurn([10], [ShipClass.CARRIER])), ["1/9", "2/10"]);
  assert.deepEqual(await shotsOf(turns.classicTurn([11])), ["1/1", "2/2", "3/1"], "no classes: the same");
});

test("classic: it leaves ships that are sunk alone", async () => {
  const [patrol, carrier] = [ShipClass.PATROL_BOAT, ShipClass.CARRIER];
  assert.deepEqual(await shotsOf(turns.classicTurn([55, 56, 1], [patrol, patrol, carrier], [patrol])), ["1/2", "2/1"]);
  const everywhere = await shotsOf(turns.classicTurn([55, 56], [patrol, patrol], [patrol]), 2000);
  assert.ok(everywhere.length > 90, `${everywhere.length} cells`);
});

test("classic: it falls back to the list when nothing beside a hit is left", async () => {
  const far = [turns.shot("classic", 9, 9), turns.shot("classic", 2, 2)];
  assert.deepEqual(await shotsOf(turns.classicTurn([1], [], [], far)), ["2/2", "9/9"]);
});

test("without legal moves the move is empty", async () => {
  const turn = turns.turnOf("classic", []);
  assert.equal((await choose(turn, randomFor(turn, 1))).variant, undefined);
});

test("the same turn is answered alike under the same seed, in any match, and otherwise once refused", async () => {
  const turn = turns.turnOf("amiral", turns.everyShot("amiral"));
  assert.deepEqual(await played(turn, 20), await played(turn, 20));
  assert.deepEqual(await played({ ...turn, matchId: 5 }, 20), await played(turn, 20));
  assert.notDeepEqual(await played({ ...turn, turnId: 8 }, 20), await played(turn, 20));
  const hit = { view: turns.classicTurn([55]).view };
  assert.notDeepEqual(await played({ ...turn, ...hit }, 20), await played(turn, 20), "another view");
  assert.notDeepEqual(await played({ ...turn, refusalsLeft: 1 }, 20), await played(turn, 20));
});
