import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerCredentials, status as Code } from "@grpc/grpc-js";
import { SessionEndReason } from "../src/generated/broadside/v1/agent.js";
import { FakeArena, type Script } from "./arena.js";
import { certificate } from "./certificate.js";
import { Program } from "./program.js";
import { turnOf } from "./turns.js";

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`the options reach the hello, and ${signal} ends the bot in order`, async (context) => {
    const script: Script = async (line) => {
      const { profile } = await line.welcome("token-1");
      assert.deepEqual([profile?.name, profile?.maxMatches], ["mine", 2]);
      assert.deepEqual(line.metadata.get("authorization"), ["Bearer secret"]);
      await line.ended();
      line.end();
    };
    const arena = await FakeArena.start(context, [script]);
    const options = ["--connect", `http://${arena.address}`, "--name", "mine", "--matches", "2", "--seed", "1"];
    const bot = new Program(context, options, { BROADSIDE_TOKEN: " secret\n" });
    await bot.logs(/connected to/);
    bot.signal(signal);
    assert.equal(await bot.over(), 0, bot.log);
    assert.match(bot.log, /^\S+ INFO connected to \S+ as mine, resumed: false\n\S+ INFO leaving\n$/);
    await arena.check();
  });
}

test("a refused bot says so in one line", async (context) => {
  const arena = await FakeArena.start(context, [
    async (line) => (await line.hello(), line.fail(Code.INVALID_ARGUMENT, "because")),
  ]);
  const bot = new Program(context, ["--connect", arena.address]);
  assert.equal(await bot.over(), 1);
  assert.match(bot.log, /^\S+ ERROR refused by the arena at \S+: INVALID_ARGUMENT: because\n$/);
});

test("a bot whose name is taken over does not come back", async (context) => {
  const arena = await FakeArena.start(context, [
    async (line) => (await line.welcome("token-1"), line.endSession(SessionEndReason.TAKEN_OVER)),
  ]);
  const bot = new Program(context, ["--connect", arena.address]);
  assert.equal(await bot.over(), 3);
  await arena.check();
});

test("an arena with TLS is trusted by its authority alone", async (context) => {
  const { certFile, cert, key } = certificate(context);
  const tls = ServerCredentials.createSsl(null, [{ cert_chain: cert, private_key: key }]);
  const takesOver: Script = async (line) => (
    await line.welcome("token-1"),
    line.endSession(SessionEndReason.TAKEN_OVER)
  );
  const arena = await FakeArena.start(context, [takesOver], 0, tls);
  const stranger = new Program(context, ["--connect", `https://${arena.address}`]);
  await stranger.logs(/UNAVAILABLE.*certificate.*dialling again/);
  const friend = new Program(context, ["--connect", `https://${arena.address}`, "--ca", certFile]);
  assert.equal(await friend.over(), 3, friend.log);
});

test("a refusal is told, and why", async (context) => {
  const script: Script = async (line) => {
    await line.welcome("token-1");
    line.ask({ ...turnOf("classic", []), refusal: { reason: 21, message: "A1 was fired at before" } });
    await line.answer();
    line.endSession(SessionEndReason.TAKEN_OVER);
  };
  const arena = await FakeArena.start(context, [script]);
  const bot = new Program(context, ["--connect", arena.address]);
  assert.equal(await bot.over(), 3);
  assert.match(bot.log, /WARN match 9007199254740991: move refused: A1 was fired at before/);
});

for (const [options, complaint] of [
  [["--matches", "0"], /--matches <n>.*It must be a whole number from 1 to 4294967295/],
  [["--seed", "x"], /--seed <n>.*It must be a whole number from 0/],
  [["--connect", "a:1", "--serve", "b:2"], /'--serve <host:port>' cannot be used with option '--connect <address>'/],
  [["--connect", "somewhere"], /--connect somewhere: no address; it must be HOST:PORT/],
  [["--connect", "a:65536"], /--connect a:65536: no address/],
  [["--connect", "https://a"], /--connect https:\/\/a: no address; it must be HOST:PORT/],
  [["--connect", "http://a/"], /--connect http:\/\/a\/: no address; it must be HOST:PORT/],
  [["--serve", "http://a:1"], /--serve http:\/\/a:1: no address; it must be HOST:PORT\n/],
  [["--connect", "a:1", "--ca", "x"], /--ca needs an https:\/\/ address/],
  [["--connect", "https://a:1", "--ca", "/nowhere"], /--ca \/nowhere: ENOENT/],
  [["--connect", "https://a:1", "--ca", "package.json"], /--ca package.json: no certificate/],
  [["--serve", "a:1", "--tls-cert", "package.json"], /--tls-cert and --tls-key must be given together/],
  [["--serve", "a:1", "--tls-cert", "package.json", "--tls-key", "package.json"], /--tls-cert package.json, --tls-key package.json: /],
  [["--tls-cert", "a", "--tls-key", "b"], /--tls-cert and --tls-key need --serve/],
  [["what"], /too many arguments/],
  [["--what"], /unknown option '--what'/],
] as const) {
  test(`wrong usage is told: ${options.join(" ")}`, async (context) => {
    const bot = new Program(context, [...options]);
    assert.equal(await bot.over(), 2, bot.log);
    assert.match(bot.log, complaint);
    assert.ok(bot.log.trim().split("\n").length <= 2, bot.log);
  });
}

test("--help tells the options", async (context) => {
  const bot = new Program(context, ["--help"]);
  assert.equal(await bot.over(), 0);
  for (const option of ["--connect", "--ca", "--serve", "--tls-cert", "--tls-key", "--name", "--matches", "--seed"]) {
    assert.ok(bot.output.includes(option));
  }
  assert.match(bot.output, /BROADSIDE_TOKEN/);
});
