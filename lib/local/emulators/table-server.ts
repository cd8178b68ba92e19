import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { SetupError } from "../setup-error.ts";
import { findTableServer, type TableServer } from "./find-table-server.ts";

/** A running server that stands in for DynamoDB. */
export interface RunningTableServer {
  readonly url: string;
  /** Resolves when the process has ended, whether or not it was stopped. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const guard = join(import.meta.dirname, "run-guarded.ts");

/**
 * Ports to which no browser connects (Fetch Standard, "bad port"). On any other port, a page could read all data,
 * because the server allows every origin and checks no host.
 */
const portsClosedToBrowsers = [
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10_080,
];

const attempts = 30;
const pollMilliseconds = 50;
const startTimeoutMilliseconds = 60_000;

/**
 * Start the program that stands in for DynamoDB, in memory unless a folder for its data is named. It listens on its own
 * loopback address, if machine and program support several, and on a port that browsers refuse.
 * @throws SetupError when there is no such program, or it does not start
 */
export async function startTableServer(folder?: string): Promise<RunningTableServer> {
  const server = findTableServer();
  let problem = "no port is free that browsers refuse";
  // Another process can take the port between the search and the start.
  for (let attempt = 0; attempt < attempts; attempt++) {
    const place = await findFreePlace(attempt, server.takesHost);
    if (place === undefined) continue;
    const result = await run(server, place, folder);
    if ("stop" in result) return { ...result, url: urlOf(place) };
    problem = result.problem;
  }
  throw new SetupError(`The DynamoDB emulator does not start: ${problem}`);
}

const urlOf = ({ host, port }: Place) => `http://${host}:${port}`;

async function run(
  server: TableServer,
  place: Place,
  folder: string | undefined,
): Promise<Omit<RunningTableServer, "url"> | { problem: string }> {
  // Its own process group: otherwise, Ctrl+C in the terminal would end it while functions still need it.
  const child = spawn(process.execPath, [guard, server.command, ...server.parameters(place, folder)], {
    stdio: ["pipe", "ignore", "pipe"],
    detached: true,
    windowsHide: true,
  });
  const ended = once(child, "exit").then(() => undefined);
  let lastLine = "";
  const saysReady = new Promise<true>((resolve) => {
    createInterface(child.stderr).on("line", (line) => {
      lastLine = line;
      if (server.readyLine !== undefined && line.includes(server.readyLine)) resolve(true);
    });
  });
  const isReady = server.readyLine === undefined ? answers(place, ended) : saysReady;
  const stop = async () => {
    child.stdin.end();
    await ended;
  };
  if (await Promise.race([isReady, ended])) return { ended, stop };
  await stop();
  return { problem: lastLine || `${server.command} has ended without saying why` };
}

/** Whether a server accepts connections before its process ends, within a time that suffices even on a busy machine. */
async function answers({ host, port }: Place, ended: Promise<void>): Promise<boolean> {
  let hasEnded = false;
  ended.then(() => {
    hasEnded = true;
  });
  for (const deadline = Date.now() + startTimeoutMilliseconds; !hasEnded && Date.now() < deadline; ) {
    const socket = connect(port, host);
    const isConnected = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isConnected) return true;
    await wait(pollMilliseconds);
  }
  return false;
}

interface Place {
  readonly host: string;
  readonly port: number;
}

/** Find an address to listen on; undefined if the tried address is in use. */
async function findFreePlace(attempt: number, takesHost: boolean): Promise<Place | undefined> {
  // Starts at a random port if the address is shared, since other processes are likely to search at the same time.
  const first = takesHost ? 0 : randomInt(portsClosedToBrowsers.length);
  const port = portsClosedToBrowsers[(first + attempt) % portsClosedToBrowsers.length] ?? 0;
  const ownHost = ["127", ...Array.from({ length: 3 }, () => randomInt(1, 255))].join(".");
  // macOS only has 127.0.0.1.
  for (const host of takesHost ? [ownHost, "127.0.0.1"] : ["127.0.0.1"]) {
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
