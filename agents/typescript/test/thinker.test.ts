import assert from "node:assert/strict";
import { test } from "node:test";
import { IllegalMoveReason, type Move } from "../src/generated/broadside/v1/game.js";
import { Thinker } from "../src/thinker.js";
import { assertLegal } from "./legality.js";
import * as turns from "./turns.js";

const turn = turns.turnOf("amiral", [turns.shot("amiral", 3, 3)]);

test("a refused choice is followed by any legal move", async () => {
  const thinker = new Thinker(() => assert.fail("asked again"), 1);
  const refusal = { reason: IllegalMoveReason.ALREADY_FIRED, message: "C3 was fired at before" };
  assertLegal(turn, await thinker.decide({ ...turn, refusal }));
});

test("a choice that fails is replaced by any legal move", async () => {
  const failing = [
    () => {
      throw new Error("no idea");
    },
    () => Promise.reject(new Error("no idea, after all")),
  ];
  for (const choose of failing) assertLegal(turn, await new Thinker(choose, 1).decide(turn));
});

test("a turn that is being thought about is not thought about twice, and others are", async () => {
  const asked: number[] = [];
  let settle: (move: Move) => void = () => {};
  const thinker = new Thinker(({ matchId }) => {
    asked.push(matchId);
    return matchId === turn.matchId ? new Promise((resolve) => (settle = resolve)) : turns.shot("amiral", 1, 1);
  }, 1);
  const first = thinker.decide(turn);
  const again = thinker.decide({ ...turn, timeLeftUs: 5 });
  assert.deepEqual(await thinker.decide({ ...turn, matchId: 2 }), turns.shot("amiral", 1, 1));
  settle(turns.shot("amiral", 3, 3));
  assert.equal(await first, await again);
  assert.deepEqual(asked, [turn.matchId, 2]);
  void thinker.decide(turn);
  assert.deepEqual(asked, [turn.matchId, 2, turn.matchId], "an answered turn is thought about anew");
});

test("a turn that comes again after a refusal is another one", async () => {
  const never = new Promise<Move>(() => {});
  const thinker = new Thinker(() => never, 1);
  void thinker.decide({ ...turn, refusalsLeft: 3 });
  const refusal = { reason: IllegalMoveReason.ALREADY_FIRED, message: "C3 was fired at before" };
  assertLegal(turn, await thinker.decide({ ...turn, refusalsLeft: 2, refusal }));
});

test("two arenas may both have a match 1", async () => {
  const thinker = new Thinker(
    ({ view }) =>
      turns.move(view!.variant!.$case === "abalone" ? { $case: "abalone", value: {} } : { $case: "amiral", value: {} }),
    1,
  );
  const moves = await Promise.all([thinker.decide(turn), thinker.decide(turns.turnOf("abalone", []))]);
  assert.deepEqual(
    moves.map(({ variant }) => variant?.$case),
    ["amiral", "abalone"],
  );
});
