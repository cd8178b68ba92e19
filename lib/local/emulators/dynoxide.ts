import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
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

const attempts = 3;
const killAfterMilliseconds = 2000;

/**
 * Start the DynamoDB emulator on a free port of 127.0.0.1, in memory unless a database file is named.
 * @throws SetupError when its binary is not installed
 */
export async function startDynoxide(databaseFile?: string): Promise<Dynoxide> {
  const binary = findBinary();
  const database = databaseFile === undefined ? [] : ["--db-path", databaseFile];
  let problem = "";
  // Another process can take the port between the search and the start.
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = await findFreePort();
    const result = await run(binary, ["--port", String(port), ...database]);
    if ("stop" in result) return { ...result, url: `http://127.0.0.1:${port}` };
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

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
