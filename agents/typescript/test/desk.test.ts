import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as settled } from "node:timers/promises";
import type { Turn } from "../src/generated/broadside/v1/agent.js";
import { type Move, Seat } from "../src/generated/broadside/v1/game.js";
import { Desk } from "../src/desk.js";
import { Thinker } from "../src/thinker.js";
import { Deferred } from "./deferred.js";
import * as turns from "./turns.js";

const move = turns.shot("amiral", 3, 3);
const turn = turns.turnOf("amiral", [move], { matchId: 1, refusalsLeft: 3 });

/** A desk whose every thought waits for the test; what it delivered, and what was thought about. */
function desk() {
  const delivered: string[] = [];
  const thoughts: Deferred<Move>[] = [];
  const thinker = new Thinker(() => {
    const thought = new Deferred<Move>();
    thoughts.push(thought);
    return thought.promise;
  }, 1);
  const desk = new Desk(thinker);
  const take = (turn: Turn, to: string) => desk.take(turn, () => delivered.push(to));
  const settle = () => (thoughts.forEach(({ resolve }) => resolve(move)), settled());
  return { desk, take, settle, thoughts, delivered };
}

test("a turn brought again is thought about once, and its move goes to whoever brought it last", async () => {
  const { take, settle, thoughts, delivered } = desk();
  take(turn, "first");
  take({ ...turn, timeLeftUs: 5 }, "second");
  await settle();
  assert.deepEqual(delivered, ["second"]);
  take(turn, "third");
  assert.deepEqual(delivered, ["second", "third"], "decided before");
  assert.equal(thoughts.length, 1);
});

test("with fewer refusals left it is another turn, which is thought about", async () => {
  const { take, settle, thoughts, delivered } = desk();
  take(turn, "first");
  await settle();
  take({ ...turn, refusalsLeft: 2 }, "refused");
  await settle();
  assert.deepEqual(delivered, ["first", "refused"]);
  assert.equal(thoughts.length, 2);
});

test("the next turn of a seat ends the wait for the last one, and not that of the other seat", async () => {
  const { take, settle, delivered } = desk();
  take(turn, "last");
  take({ ...turn, seat: Seat.ONE, turnId: 8 }, "other seat");
  take({ ...turn, turnId: 9 }, "next");
  await settle();
  assert.deepEqual(delivered, ["other seat", "next"]);
});

test("matches that are over are forgotten, by seat or all that do not run", async () => {
  const { desk: lying, take, settle, delivered } = desk();
  take(turn, "over");
  take({ ...turn, seat: Seat.ONE }, "other seat");
  take({ ...turn, matchId: 2 }, "gone");
  lying.forget(1, turn.seat);
  lying.keep([1]);
  await settle();
  assert.deepEqual(delivered, ["other seat"]);
});
