import assert from "node:assert/strict";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { type ChannelCredentials, type ServiceError, status as Code, credentials } from "@grpc/grpc-js";
import {
  AgentServiceClient,
  type ChooseMoveResponse,
  EndMatchRequest,
  type GetProfileResponse,
  StartMatchRequest,
  type Turn,
} from "../src/generated/broadside/v1/agent.js";
import { Seat } from "../src/generated/broadside/v1/game.js";
import { certificate } from "./certificate.js";
import { assertLegal } from "./legality.js";
import { Program } from "./program.js";
import * as turns from "./turns.js";

type Reply<T> = (error: ServiceError | null, response: T) => void;

/** The answer of a unary call. */
function answer<T>(call: (reply: Reply<T>) => unknown): Promise<T> {
  return new Promise((resolve, reject) => call((error, response) => (error ? reject(error) : resolve(response))));
}

function clientOf(context: TestContext, address: string, channel: ChannelCredentials = credentials.createInsecure()) {
  const client = new AgentServiceClient(address, channel);
  context.after(() => client.close());
  return client;
}

function chooseMove(client: AgentServiceClient, turn?: Turn): Promise<ChooseMoveResponse> {
  return answer((reply) => client.chooseMove({ turn }, reply));
}

async function playEveryVariant(client: AgentServiceClient): Promise<void> {
  const asked = turns.aTurnOfEveryVariant();
  const answers = await Promise.all(asked.map((turn) => chooseMove(client, turn)));
  answers.forEach(({ decision }, nth) => {
    assert.ok(decision?.$case === "move");
    assertLegal(asked[nth]!, decision.value);
  });
}

test("a dialled bot answers all that it is asked, and leaves on a signal", async (context) => {
  const bot = new Program(context, ["--serve", "127.0.0.1:0", "--name", "served", "--matches", "2"]);
  const client = clientOf(context, await bot.address());
  await playEveryVariant(client);

  const { profile } = await answer<GetProfileResponse>((reply) => client.getProfile({}, reply));
  const { name, maxMatches, variants, wantsLegalMoves } = profile!;
  assert.deepEqual([name, maxMatches, variants, wantsLegalMoves], ["served", 2, turns.VARIANTS, true]);

  const options = { variant: { $case: "abalone", value: {} } } as const;
  const matchStart = { matchId: 5, seat: Seat.ONE, opponent: "fake", options };
  await answer((reply) => client.startMatch(StartMatchRequest.fromPartial({ matchStart }), reply));
  const matchEnd = { matchId: 5, seat: Seat.ONE, outcome: { message: "a draw" } };
  await answer((reply) => client.endMatch(EndMatchRequest.fromPartial({ matchEnd }), reply));

  await assert.rejects(chooseMove(client), { code: Code.INVALID_ARGUMENT });

  bot.signal("SIGTERM");
  assert.equal(await bot.over(), 0, bot.log);
  assert.equal(bot.output.split("\n").length, 2, "one line on standard output");
  assert.match(bot.log, /match 5: abalone, seat 1, against fake\n.*match 5: over, seat 1: a draw\n/);
});

test("a dialled bot serves TLS", async (context) => {
  const { certFile, keyFile, cert } = certificate(context);
  const bot = new Program(context, ["--serve", "127.0.0.1:0", "--tls-cert", certFile, "--tls-key", keyFile]);
  await playEveryVariant(clientOf(context, await bot.address(), credentials.createSsl(cert)));
});

test("a dialled bot says that its port is taken", async (context) => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  context.after(() => taken.close());
  const { port } = taken.address() as { port: number };
  const bot = new Program(context, ["--serve", `127.0.0.1:${port}`]);
  assert.equal(await bot.over(), 1);
  assert.match(bot.log, /^\S+ ERROR cannot serve on 127\.0\.0\.1:\d+: .*EADDRINUSE.*\n$/);
  assert.equal(bot.output, "");
});

test("two dialled bots do not share a port", async (context) => {
  const first = new Program(context, ["--serve", "127.0.0.1:0"]);
  const second = new Program(context, ["--serve", await first.address()]);
  assert.equal(await second.over(), 1);
});
