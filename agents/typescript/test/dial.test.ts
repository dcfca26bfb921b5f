import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { status as Code } from "@grpc/grpc-js";
import { choose } from "../src/choose.js";
import { dial } from "../src/dial.js";
import { Exit } from "../src/exit.js";
import { SessionEndReason } from "../src/generated/broadside/v1/agent.js";
import { type Move, Seat } from "../src/generated/broadside/v1/game.js";
import { type Choose, Thinker } from "../src/thinker.js";
import { FakeArena, type Line, type Script } from "./arena.js";
import { Deferred } from "./deferred.js";
import { assertLegal } from "./legality.js";
import * as turns from "./turns.js";

const profile = {
  name: "tester",
  variants: turns.VARIANTS,
  maxMatches: 3,
  wantsLegalMoves: true,
  wantsAccepted: false,
};

const slowTurn = turns.turnOf("amiral", [turns.shot("amiral", 3, 3)]);
const quickTurn = turns.turnOf("abalone", turns.abaloneMoves(), { matchId: 2 });

interface Setting {
  choose?: Choose;
  token?: string;
  leave?: AbortSignal;
}

function dialPort(port: number, setting: Setting = {}): Promise<Exit> {
  const arena = { address: { host: "127.0.0.1", port, tls: false }, ca: undefined, token: setting.token };
  const thinker = new Thinker(setting.choose ?? choose, 1);
  return dial(arena, profile, thinker, setting.leave ?? new AbortController().signal);
}

/** Runs the bot against these connections; its exit status. */
async function dialled(context: TestContext, scripts: Script[], setting: Setting = {}): Promise<Exit> {
  const arena = await FakeArena.start(context, scripts);
  const exit = await dialPort(arena.port, setting);
  await arena.check();
  return exit;
}

/** A connection that ends the bot. */
const takesOver: Script = async (line) => {
  await line.welcome("last");
  line.endSession(SessionEndReason.TAKEN_OVER);
};

test("seven matches at once on one stream, with everything that an arena may send in between", async (context) => {
  const whole = async (line: Line) => {
    const hello = await line.welcome("token-1");
    assert.equal(hello.protocolVersion, 1);
    assert.equal(hello.resumeToken, "");
    assert.deepEqual(hello.profile, profile);
    const asked = turns.aTurnOfEveryVariant();
    for (const { matchId, view } of asked) {
      const options = { variant: { $case: view!.variant!.$case, value: {} } };
      line.send({ $case: "matchStart", value: { matchId, seat: Seat.ONE, options, opponent: "fake" } });
    }
    line.send({ $case: "heartbeat", value: { beat: 0 } });
    line.send(); // a message of a later version
    for (const turn of asked) line.ask(turn);
    for (const turn of asked) {
      const answer = await line.answer();
      assert.deepEqual([answer.matchId, answer.turnId], [turn.matchId, turn.turnId]);
      assertLegal(turn, answer.move);
    }
    line.send({ $case: "rejected", value: { matchId: 1001, turnId: 7, message: "too late" } });
    for (const { matchId } of asked)
      line.send({ $case: "matchEnd", value: { matchId, outcome: { message: "a draw" } } });
    line.endSession(SessionEndReason.TAKEN_OVER);
  };
  assert.equal(await dialled(context, [whole]), Exit.TakenOver);
});

test("it comes back with the resume token and answers the pending turn", async (context) => {
  const turn = turns.turnOf("naumachia", turns.everyShot("naumachia"));
  const scripts: Script[] = [
    async (line) => {
      assert.equal((await line.welcome("token-1")).resumeToken, "");
      line.fail(Code.UNAVAILABLE, "connection lost");
    },
    async (line) => {
      assert.equal((await line.welcome("token-2")).resumeToken, "token-1");
      line.ask(turn);
      assertLegal(turn, (await line.answer()).move);
      line.endSession(SessionEndReason.ARENA_STOPS);
      line.end();
    },
    async (line) => {
      assert.equal((await line.hello()).resumeToken, "token-2");
      line.fail(Code.RESOURCE_EXHAUSTED, "too many sessions");
    },
    async (line) => {
      assert.equal((await line.hello()).resumeToken, "token-2");
      line.end();
    },
    takesOver,
  ];
  assert.equal(await dialled(context, scripts), Exit.TakenOver);
});

test("it comes back when the connection is cut, to an arena that starts again", async (context) => {
  const playing = new Deferred();
  const plays: Script = async (line) => {
    await line.welcome("token-1");
    line.ask(quickTurn);
    await line.answer();
    playing.resolve();
  };
  const first = await FakeArena.start(context, [plays]);
  const exit = dialPort(first.port);
  await playing.promise;
  first.stop();
  const resumes: Script = async (line) => {
    assert.equal((await line.welcome("token-1")).resumeToken, "token-1");
    line.endSession(SessionEndReason.TAKEN_OVER);
  };
  const second = await FakeArena.start(context, [resumes], first.port);
  assert.equal(await exit, Exit.TakenOver);
  await second.check();
});

test("it comes back when the arena has been silent for three heartbeats", async (context) => {
  const silent: Script = async (line) => {
    await line.welcome("token-1", 20);
    await line.gone();
  };
  assert.equal(await dialled(context, [silent, takesOver]), Exit.TakenOver);
});

for (const [code, exit] of [
  [Code.INVALID_ARGUMENT, Exit.Refused],
  [Code.FAILED_PRECONDITION, Exit.Refused],
  [Code.UNAUTHENTICATED, Exit.Refused],
  [Code.PERMISSION_DENIED, Exit.Refused],
  [Code.UNIMPLEMENTED, Exit.Refused],
  [Code.ABORTED, Exit.TakenOver],
] as const) {
  test(`it stays away after ${Code[code]}`, async (context) => {
    const refuses: Script = async (line) => (await line.hello(), line.fail(code, "because"));
    assert.equal(await dialled(context, [refuses]), exit);
  });
}

test("it stays away with a token that was revoked", async (context) => {
  const revokes: Script = async (line) => {
    await line.welcome("token-1");
    line.endSession(SessionEndReason.TOKEN_REVOKED);
  };
  assert.equal(await dialled(context, [revokes]), Exit.Refused);
});

for (const [code, exit] of [
  [Code.PERMISSION_DENIED, Exit.Refused],
  [Code.ABORTED, Exit.TakenOver],
] as const) {
  test(`a session that ends for a reason of a later version ends by its status, ${Code[code]}`, async (context) => {
    const ends: Script = async (line) => {
      await line.welcome("token-1");
      line.endSession(99 as SessionEndReason);
      line.fail(code, "because");
    };
    assert.equal(await dialled(context, [ends]), exit);
  });
}

test("a session that ends for a reason of a later version, in order, is taken up again", async (context) => {
  const ends: Script = async (line) => {
    await line.welcome("token-1");
    line.endSession(99 as SessionEndReason);
    line.end();
  };
  assert.equal(await dialled(context, [ends, takesOver]), Exit.TakenOver);
});

test("its token is in the metadata of every connection", async (context) => {
  const sees =
    (then: Script): Script =>
    (line) => {
      assert.deepEqual(line.metadata.get("authorization"), ["Bearer secret"]);
      return then(line);
    };
  const breaks: Script = async (line) => (await line.welcome("token-1"), line.end());
  assert.equal(await dialled(context, [sees(breaks), sees(takesOver)], { token: "secret" }), Exit.TakenOver);
});

/** A choice that the test makes by hand; how often it was asked for. */
function slowChoice() {
  const move = new Deferred<Move>();
  const slow = { asked: 0, settle: move.resolve, choose: () => (slow.asked++, move.promise) };
  return slow;
}

test("a slow choice holds up no other match, and a turn sent again is answered once", async (context) => {
  const slow = slowChoice();
  const script: Script = async (line) => {
    await line.welcome("token-1");
    line.ask(slowTurn);
    line.ask(slowTurn);
    line.ask(quickTurn);
    assert.equal((await line.answer()).matchId, quickTurn.matchId);
    slow.settle(turns.shot("amiral", 3, 3));
    assertLegal(slowTurn, (await line.answer()).move);
    line.ask({ ...quickTurn, turnId: 8 });
    assert.equal((await line.answer()).turnId, 8, "nothing in between");
    line.endSession(SessionEndReason.TAKEN_OVER);
  };
  const choice: Choose = (turn, random) => (turn.matchId === slowTurn.matchId ? slow.choose() : choose(turn, random));
  assert.equal(await dialled(context, [script], { choose: choice }), Exit.TakenOver);
  assert.equal(slow.asked, 1);
});

test("a thought outlives its stream and answers on the next", async (context) => {
  const slow = slowChoice();
  const asksAndBreaks: Script = async (line) => {
    await line.welcome("token-1");
    line.ask(slowTurn);
    line.fail(Code.UNAVAILABLE, "connection lost");
  };
  const asksAgain: Script = async (line) => {
    await line.welcome("token-1", 5_000, [slowTurn.matchId]);
    line.ask(slowTurn);
    line.ask(quickTurn);
    assert.equal((await line.answer()).matchId, quickTurn.matchId);
    slow.settle(turns.shot("amiral", 3, 3));
    assertLegal(slowTurn, (await line.answer()).move);
    line.endSession(SessionEndReason.TAKEN_OVER);
  };
  const choice: Choose = (turn, random) => (turn.matchId === slowTurn.matchId ? slow.choose() : choose(turn, random));
  assert.equal(await dialled(context, [asksAndBreaks, asksAgain], { choose: choice }), Exit.TakenOver);
  assert.equal(slow.asked, 1);
});

test("a move decided while no stream was open, or lost with one, is sent if its turn comes again", async (context) => {
  let asked = 0;
  const lost = new Deferred<Move>();
  const breaks: Script = async (line) => {
    await line.welcome("token-1");
    line.ask(slowTurn);
    line.ask(quickTurn);
    await line.answer(); // the slow turn came before it
    line.fail(Code.UNAVAILABLE, "connection lost");
    await line.gone();
    lost.resolve(turns.shot("amiral", 3, 3));
  };
  const asksAgain: Script = async (line) => {
    await line.welcome("token-1", 5_000, [slowTurn.matchId, quickTurn.matchId]);
    for (const turn of [slowTurn, quickTurn, slowTurn]) {
      line.ask({ ...turn, timeLeftUs: 5 });
      const { matchId, move } = await line.answer();
      assert.equal(matchId, turn.matchId);
      assertLegal(turn, move);
    }
    line.endSession(SessionEndReason.TAKEN_OVER);
  };
  const choice: Choose = (turn, random) => {
    asked++;
    return turn.matchId === slowTurn.matchId ? lost.promise : choose(turn, random);
  };
  assert.equal(await dialled(context, [breaks, asksAgain], { choose: choice }), Exit.TakenOver);
  assert.equal(asked, 2, "once a turn");
});

test("told to leave, it ends its stream in order", async (context) => {
  const leaving = new AbortController();
  const script: Script = async (line) => {
    await line.welcome("token-1");
    leaving.abort();
    await line.ended();
    line.end();
  };
  assert.equal(await dialled(context, [script], { leave: leaving.signal }), Exit.Left);
});

test("told to leave while it waits to dial again, it leaves", async (context) => {
  const leaving = new AbortController();
  const script: Script = async (line) => {
    await line.welcome("token-1");
    line.fail(Code.UNAVAILABLE, "connection lost");
    setImmediate(() => leaving.abort());
  };
  assert.equal(await dialled(context, [script], { leave: leaving.signal }), Exit.Left);
});
