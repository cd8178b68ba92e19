import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { SetupError } from "../setup-error.ts";

export interface Dynoxide {
  readonly url: string;
  /** Resolves when the process has ended, whether or not it was stopped. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Runs the server and kills it when standard input ends, which happens however the parent dies, even by SIGKILL.
 * The reader gets the pipe as descriptor 3, because a shell disconnects background jobs from standard input.
 */
const guardScript = `
exec 3<&0
"$@" 3<&- &
server=$!
{ read -r _ <&3; kill "$server"; } 2>/dev/null &
wait "$server"
`;

/**
 * Ports to which no browser connects, whatever a page asks for (Fetch Standard, "bad port"): the server allows every
 * origin and checks no host, so a page could otherwise read all data.
 */
const portsClosedToBrowsers = [
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10_080,
];

const attempts = 30;
const killAfterMilliseconds = 2000;

/**
 * Start the DynamoDB emulator, in memory unless a database file is named: on a loopback address of its own, where the
 * machine has more than one, and on a port that browsers refuse.
 * @throws SetupError when its binary is not installed
 */
export async function startDynoxide(databaseFile?: string): Promise<Dynoxide> {
  const binary = findBinary();
  const database = databaseFile === undefined ? [] : ["--db-path", databaseFile];
  let problem = "no port is free that browsers refuse";
  // Another process can take the port between the search and the start.
  for (let attempt = 0; attempt < attempts; attempt++) {
    const place = await findFreePlace(attempt);
    if (place === undefined) continue;
    const { host, port } = place;
    const result = await run(binary, ["--host", host, "--port", String(port), ...database]);
    if ("stop" in result) return { ...result, url: `http://${host}:${port}` };
    problem = result.problem;
  }
  throw new SetupError(`The DynamoDB emulator does not start: ${problem}`);
}

async function run(
  binary: string,
  parameters: readonly string[],
): Promise<Omit<Dynoxide, "url"> | { problem: string }> {
  // A process group of its own: Ctrl+C in the terminal would otherwise end it while functions still need it.
  const child = spawn("sh", ["-c", guardScript, "sh", binary, ...parameters], {
    stdio: ["pipe", "ignore", "pipe"],
    detached: true,
  });
  const ended = once(child, "exit").then(() => undefined);
  let lastLine = "";
  const isListening = new Promise<boolean>((resolve) => {
    createInterface(child.stderr).on("line", (line) => {
      lastLine = line;
      if (line.includes("listening")) resolve(true);
    });
    ended.then(() => resolve(false));
  });
  if (!(await isListening)) return { problem: lastLine };
  return {
    ended,
    async stop() {
      child.stdin.end();
      const killGroup = setTimeout(
        () => child.pid && process.kill(-child.pid, "SIGKILL"),
        killAfterMilliseconds,
      );
      await ended;
      clearTimeout(killGroup);
    },
  };
}

function findBinary(): string {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    return join(folder, "dynoxide");
  } catch {
    throw new SetupError(
      `The DynamoDB emulator is not installed: there is no npm package ${name} here. Install it, or set ` +
        "AWS_ENDPOINT_URL_DYNAMODB to the address of another DynamoDB-compatible server.",
    );
  }
}

interface Place {
  readonly host: string;
  readonly port: number;
}

/** Find an address to listen on; undefined when this attempt found it in use. */
async function findFreePlace(attempt: number): Promise<Place | undefined> {
  const port = portsClosedToBrowsers[attempt % portsClosedToBrowsers.length] ?? 0;
  const ownHost = ["127", ...Array.from({ length: 3 }, () => randomInt(1, 255))].join(".");
  // macOS has 127.0.0.1 only.
  for (const host of [ownHost, "127.0.0.1"]) {
    const problem = await tryListening(host, port);
    if (problem === undefined) return { host, port };
    if (problem !== "EADDRNOTAVAIL") return undefined;
  }
  return undefined;
}

/** @returns the code of the error, if any */
async function tryListening(host: string, port: number): Promise<string | undefined> {
  const server = createServer().listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown";
  }
  server.close();
  await once(server, "close");
  return undefined;
}
