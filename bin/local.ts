import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type ChatPerson, startChat } from "#lib/local/chat/chat-server.ts";
import { startConsole } from "#lib/local/console/console.ts";
import { isAskedByBrowser, lineOf, summarise } from "#lib/local/console/requests/describe-request.ts";
import { traceCalls } from "#lib/local/console/requests/trace-calls.ts";
import { tracedLevel, traceLines } from "#lib/local/console/requests/trace-lines.ts";
import { TraceLog } from "#lib/local/console/requests/trace-log.ts";
import { recordDataVersion } from "#lib/local/data-version.ts";
import { startEmulators } from "#lib/local/emulators/emulators.ts";
import { checkGivenEndpoints } from "#lib/local/emulators/given-endpoints.ts";
import { lockFolder } from "#lib/local/folder-lock.ts";
import { RequestLog } from "#lib/local/gateway/request-log.ts";
import type { SocketMode } from "#lib/local/instance.ts";
import { readLocalSettings } from "#lib/local/local-settings.ts";
import { describeReach, loopback, parseHost } from "#lib/local/network-host.ts";
import { seed } from "#lib/local/seed/seed.ts";
import { SetupError } from "#lib/local/setup-error.ts";
import { PostLog } from "#lib/local/sockets/post-log.ts";
import { startStack } from "#lib/local/stack.ts";
import { InvalidSettingsError } from "#shared/registry/settings.ts";

const usage = `Run Parley on this machine: npm start -- [options]

  --port N         port of the public API (8080); internal API at N+1, console at N+2, chat at N+3; 0: any free ports
  --host ADDRESS   address of this machine that phones in its network can reach: public API, sockets, files and chat (127.0.0.1)
  --plain-cookies  cookies without Secure, which cookie jars of most languages never send without TLS
  --data DIR       folder that keeps data between runs (.parley)
  --memory         keep nothing (with --watch: nothing after the end)
  --settings FILE  JSON with settings that replace those of the local stage, or the file of a stage
  --sockets KIND   holder of the sockets: relay (the default), or gateway, which closes them as API Gateway does
  --seed           create a team with five people, a channel, an app and a bot, and print how to log in
  --watch          restart whenever a source file changes
  --help           show this text
`;

interface Options {
  readonly port: number;
  readonly host: string;
  readonly hasPlainCookies: boolean;
  readonly dataFolder: string | undefined;
  readonly settingsFile: string | undefined;
  readonly sockets: SocketMode;
  readonly isSeeded: boolean;
}

try {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "8080" },
      host: { type: "string", default: loopback },
      "plain-cookies": { type: "boolean", default: false },
      data: { type: "string", default: ".parley" },
      memory: { type: "boolean", default: false },
      settings: { type: "string" },
      sockets: { type: "string", default: "relay" },
      seed: { type: "boolean", default: false },
      watch: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const options = {
    port: parsePort(values.port),
    host: parseHost(values.host),
    hasPlainCookies: values["plain-cookies"],
    dataFolder: values.memory ? undefined : values.data,
    settingsFile: values.settings,
    sockets: parseSockets(values.sockets),
    isSeeded: values.seed,
  };
  if (values.help) process.stdout.write(usage);
  else if (values.watch) await watch(values.memory);
  else await run(options);
} catch (error) {
  fail(error);
}

async function run({
  port,
  host,
  hasPlainCookies,
  dataFolder,
  settingsFile,
  sockets,
  isSeeded,
}: Options): Promise<void> {
  const interrupted = signalReceived();
  const settings = readLocalSettings(settingsFile, host === loopback ? undefined : host);
  const stops: (() => unknown)[] = [];
  try {
    if (dataFolder !== undefined) {
      stops.push(lockFolder(dataFolder));
      recordDataVersion(dataFolder);
    }
    await checkGivenEndpoints();
    const emulators = await startEmulators({ dataFolder, host });
    stops.push(emulators.stop);
    Object.assign(process.env, emulators.environment);
    const requests = new RequestLog();
    const posts = new PostLog();
    const traces = new TraceLog();
    const printedLevel = process.env.LOG_LEVEL ?? "WARN";
    stops.push(traceLines(traces, printedLevel), traceCalls(traces));
    let isSeeding = isSeeded;
    const stack = await startStack({
      settings,
      prefix: "parley",
      emulators,
      ports: { public: port, internal: port && port + 1 },
      host,
      hasPlainCookies: hasPlainCookies || host !== loopback,
      sockets,
      runsSchedulesAtStart: true,
      isAlone: true,
      logLevel: tracedLevel(printedLevel),
      onRequest(request) {
        requests.add(request);
        // Requests by which seeding checks for existing data are not shown.
        const { status, label } = summarise(request);
        const isRefused = (status >= 400 || label !== undefined) && !isAskedByBrowser(request);
        if (isRefused && !isSeeding) console.log(lineOf(request));
      },
      onPost: (post) => posts.add(post),
    });
    stops.push(stack.stop);
    let chatUrl: string | undefined;
    const devConsole = await startConsole({
      emulators,
      stack,
      requests,
      posts,
      traces,
      chatUrl: () => chatUrl,
      port: port && port + 2,
    });
    stops.push(devConsole.stop);
    let seededPeople: readonly ChatPerson[] = [];
    const chat = await startChat({
      publicUrl: stack.publicUrl,
      consoleUrl: devConsole.url,
      messages: emulators.messages,
      people: () => seededPeople,
      host,
      port: port && port + 3,
    });
    stops.push(chat.stop);
    chatUrl = chat.url;
    const data = dataFolder === undefined ? "in memory" : `in ${dataFolder}`;
    process.stdout.write(
      `Open ${chat.url} to chat as two people in two windows.\n` +
        `Parley runs: public ${stack.publicUrl}  internal ${stack.internalUrl}  console ${devConsole.url}\n` +
        `${describeReach(host, { publicUrl: stack.publicUrl, filesUrl: emulators.environment.AWS_ENDPOINT_URL_S3 ?? "", chatUrl: chat.networkUrl ?? "" })}\n` +
        `Data is kept ${data}. Ctrl+C ends it.\n`,
    );
    if (isSeeded) {
      const seeded = await seed(stack, (step) => console.log(`Seeding ${step} …`)).catch((error: Error) => {
        throw new SetupError(`The data cannot be seeded: ${error.message}`);
      });
      stops.push(seeded.stop);
      isSeeding = false;
      seededPeople = seeded.team.people.map(({ name, email }) => ({ name, email }));
      process.stdout.write(seeded.description);
    }
    const failure = await Promise.race([interrupted, emulators.failed]);
    if (failure !== undefined) throw new SetupError(failure);
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

/** Resolves at the first termination signal; later ones change nothing. */
function signalReceived(): Promise<undefined> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => resolve(undefined));
  });
}

/**
 * Hand over to Node's watch mode, which runs this file again without the option.
 * @param forgetsAtEnd whether data survives restarts, but not the end
 */
async function watch(forgetsAtEnd: boolean): Promise<void> {
  const [, script = "", ...parameters] = process.argv;
  const flags = [...process.execArgv, "--watch", "--watch-preserve-output"];
  const folder = forgetsAtEnd ? mkdtempSync(join(tmpdir(), "parley-")) : undefined;
  if (folder !== undefined) process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const kept = [
    ...parameters.filter((parameter) => parameter !== "--watch" && parameter !== "--memory"),
    ...(folder === undefined ? [] : ["--data", folder]),
  ];
  const child = spawn(process.execPath, [...flags, script, ...kept], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  const [code, signal] = await once(child, "exit");
  process.exitCode = code ?? 128 + constants.signals[signal as NodeJS.Signals];
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_532) return port;
  throw new SetupError(`--port must be a number up to 65532, not ${text}`);
}

function parseSockets(text: string): SocketMode {
  if (text === "gateway" || text === "relay") return text;
  throw new SetupError(`--sockets must be gateway or relay, not ${text}`);
}

function fail(error: unknown): void {
  process.exitCode = 1;
  const isExpected = error instanceof SetupError || error instanceof InvalidSettingsError;
  if (isExpected) console.error(error.message);
  else if (isBadOption(error)) console.error(`${error.message.split(". ")[0]} (see --help)`);
  else console.error(error);
}

function isBadOption(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}
