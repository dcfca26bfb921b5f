/** The command line. */

import { X509Certificate, randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { ServerCredentials, logVerbosity, setLogVerbosity } from "@grpc/grpc-js";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { parseAddress, parseHostPort } from "./address.js";
import { choose } from "./choose.js";
import { dial } from "./dial.js";
import { Exit, UsageError } from "./exit.js";
import type { AgentProfile } from "./generated/broadside/v1/agent.js";
import { Variant } from "./generated/broadside/v1/game.js";
import { serve } from "./serve.js";
import { Thinker } from "./thinker.js";

interface Options {
  connect: string;
  ca?: string;
  serve?: string;
  tlsCert?: string;
  tlsKey?: string;
  name: string;
  matches: number;
  seed: number;
}

const program = new Command("bot")
  .description("A Broadside bot that plays every variant.")
  .addOption(new Option("--connect <address>", "dial the arena there: HOST:PORT or a URL").default("127.0.0.1:4600"))
  .option("--ca <file>", "trust this authority at an https:// address; in PEM")
  .addOption(
    new Option("--serve <host:port>", "let the arena dial this address; port 0 takes a free one").conflicts([
      "connect",
      "ca",
    ]),
  )
  .option("--tls-cert <file>", "serve TLS with this certificate, in PEM")
  .option("--tls-key <file>", "its private key, in PEM")
  .option("--name <name>", "its name, one bot a name", "typescript-bot")
  .option("--matches <n>", "matches at once", whole(1, 2 ** 32 - 1), 8)
  .addOption(
    new Option("--seed <n>", "makes its random choices the same every time")
      .argParser(whole(0, Number.MAX_SAFE_INTEGER))
      .default(randomInt(2 ** 47), "chance"),
  )
  .addHelpText("after", "\nA token for the arena is taken from the environment: BROADSIDE_TOKEN.")
  .allowExcessArguments(false)
  .exitOverride();

function whole(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

function read(file: string, option: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`${option} ${file}: ${(error as Error).message}`);
  }
}

function authority(file: string | undefined): Buffer | undefined {
  if (file === undefined) return undefined;
  const pem = read(file, "--ca");
  try {
    new X509Certificate(pem);
    return pem;
  } catch {
    throw new UsageError(`--ca ${file}: no certificate in PEM`);
  }
}

function serverCredentials({ tlsCert: cert, tlsKey: key }: Options): ServerCredentials {
  if (cert === undefined && key === undefined) return ServerCredentials.createInsecure();
  if (cert === undefined || key === undefined) throw new UsageError("--tls-cert and --tls-key must be given together");
  const pair = { cert_chain: read(cert, "--tls-cert"), private_key: read(key, "--tls-key") };
  try {
    createSecureContext({ cert: pair.cert_chain, key: pair.private_key });
    return ServerCredentials.createSsl(null, [pair]);
  } catch (error) {
    throw new UsageError(`--tls-cert ${cert}, --tls-key ${key}: ${(error as Error).message}`);
  }
}

function token(): string | undefined {
  const text = process.env["BROADSIDE_TOKEN"]?.trim() || undefined;
  if (text !== undefined && !/^[\x20-\x7e]*$/.test(text)) {
    throw new UsageError("BROADSIDE_TOKEN: it must be printable ASCII");
  }
  return text;
}

async function run(options: Options, leave: AbortSignal): Promise<Exit> {
  const variants = Object.values(Variant).filter((value): value is Variant => typeof value === "number" && value > 0);
  const profile: AgentProfile = {
    name: options.name,
    variants,
    maxMatches: options.matches,
    wantsLegalMoves: true,
    wantsAccepted: false,
  };
  const thinker = new Thinker(choose, options.seed);
  if (options.serve !== undefined) {
    const address = parseHostPort(options.serve, "--serve");
    return serve(address, serverCredentials(options), profile, thinker, leave);
  }
  if (options.tlsCert !== undefined || options.tlsKey !== undefined) throw new UsageError("--tls-cert and --tls-key need --serve");
  const address = parseAddress(options.connect, "--connect");
  if (options.ca !== undefined && !address.tls) throw new UsageError("--ca needs an https:// address in --connect");
  return dial({ address, ca: authority(options.ca), token: token() }, profile, thinker, leave);
}

async function main(): Promise<Exit> {
  if (!process.env["GRPC_VERBOSITY"]) setLogVerbosity(logVerbosity.NONE); // the bot's own log says it all
  const leaving = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => leaving.abort());
  try {
    return await run(program.parse().opts<Options>(), leaving.signal);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? Exit.Left : Exit.Usage;
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    return Exit.Usage;
  }
}

// Thoughts that nobody waits for any more must not hold the program back.
process.exit(await main());
