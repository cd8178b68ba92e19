import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import tls from "node:tls";
import { SetupError } from "#lib/local/setup-error.ts";
import { isAws } from "#lib/releases/reachable-url.ts";
import { type EmulatorName, emulators, type InstallableEmulator } from "./emulators.ts";

export interface Emulator {
  readonly endpoint: string;
  readonly region: string;
  /** File of the certificate to trust, in PEM; absent if every program trusts it. */
  readonly certificateFile?: string;
  /** File with the emulator's log; absent for one that was running already. */
  readonly logFile?: string;
  /** Resolves when it has ended; absent for one that was running already. */
  readonly ended?: Promise<unknown>;
  stop(): Promise<void>;
}

const region = "eu-central-1";

/**
 * The emulator at this address. Its callers trust the certificate in the file that `NODE_EXTRA_CA_CERTS` or
 * `AWS_CA_BUNDLE` names.
 * @throws SetupError for AWS itself, when nothing answers, and when the certificate is not trusted
 */
export async function givenEmulator(address: string): Promise<Emulator> {
  if (isAws(address)) throw new SetupError(`${new URL(address).hostname} is AWS, not an emulator of it`);
  const endpoint = address.replace(/\/$/, "");
  const { AWS_REGION = region, NODE_EXTRA_CA_CERTS, AWS_CA_BUNDLE } = process.env;
  const certificateFile = NODE_EXTRA_CA_CERTS ?? AWS_CA_BUNDLE;
  if (certificateFile !== undefined) trustFile(certificateFile);
  await fetch(endpoint).catch(({ cause }) => {
    const isUntrusted = /CERT|SIGNATURE/.test(cause?.code);
    throw new SetupError(
      isUntrusted
        ? `The certificate of AWS_ENDPOINT_URL, ${endpoint}, is not trusted (${cause.code}). ` +
            "NODE_EXTRA_CA_CERTS must name a PEM file with it, or with that of its issuer"
        : `Nothing answers at AWS_ENDPOINT_URL, ${endpoint}: ${cause}`,
    );
  });
  return { endpoint, region: AWS_REGION, certificateFile, stop: async () => {} };
}

/**
 * Install the emulator in a cache folder, unless it is installed, and start it on a free port.
 *
 * @throws SetupError when Python or the package cannot be had, or when the emulator does not start
 */
export async function startEmulator(name: EmulatorName): Promise<Emulator> {
  const installable = emulators[name];
  const command = await installEmulator(installable);
  const folder = mkdtempSync(join(tmpdir(), "parley-emulator-"));
  const port = await freePort();
  const logFile = join(folder, "emulator.log");
  const start: ReturnType<InstallableEmulator["start"]> = installable.start({ folder, port, region });
  const { parameters = [], environment, endpoint, certificateFile } = start;
  const child = spawn(command, parameters, {
    cwd: folder,
    // No other variables, because functions would inherit them.
    env: {
      // Functions run on the Node of this script.
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      HOME: folder,
      TMPDIR: folder,
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  // Every request then fails, and the script ends in its usual way.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => child.kill());
  process.once("exit", () => child.kill());
  const log = createWriteStream(logFile);
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  const stop = async () => {
    child.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilReady(child, start);
  } catch (error) {
    const text = readFileSync(logFile, "utf8");
    await stop();
    throw new SetupError(`The emulator does not start: ${(error as Error).message}\n${text}`);
  }
  return { endpoint, region, certificateFile, logFile, ended, stop };
}

/** Path of the emulator's command, in its own virtual environment. */
async function installEmulator({
  package: { name, version, extras = "" },
  command: program,
}: InstallableEmulator): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const folder = join(cache, "parley", `${name}-${version}`);
  const command = join(folder, "bin", program);
  if (existsSync(command)) return command;
  const instead = "Install it, or give the address of a running emulator in AWS_ENDPOINT_URL.";
  await run(
    "python3",
    ["-m", "venv", folder],
    `This needs Python 3.10 or newer with the module venv. ${instead}`,
  );
  await run(
    join(folder, "bin", "pip"),
    ["install", "--quiet", "--disable-pip-version-check", `${name}${extras}==${version}`],
    `The Python package ${name} ${version} cannot be installed. ${instead}`,
  );
  return command;
}

async function run(command: string, parameters: readonly string[], problem: string): Promise<void> {
  const child = spawn(command, parameters, { stdio: "inherit" });
  const status = await new Promise((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("exit", (code, signal) => resolve(code ?? signal));
  });
  if (status !== 0) throw new SetupError(`${problem} (${command}: ${status})`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function waitUntilReady(
  child: ChildProcess,
  { endpoint, health, certificateFile }: ReturnType<InstallableEmulator["start"]>,
) {
  const deadline = Date.now() + 60_000;
  let failure: unknown;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`it ended with status ${child.exitCode}`);
    try {
      if (certificateFile !== undefined) trust(certificateFile);
      if ((await fetch(`${endpoint}${health}`)).ok) return;
    } catch (error) {
      failure = error;
    }
    await wait(200);
  }
  throw new Error(`it does not answer within a minute: ${failure}`);
}

/** @throws SetupError when there is no such file, or no certificate in it */
function trustFile(certificateFile: string): void {
  try {
    trust(certificateFile);
  } catch (error) {
    throw new SetupError(`No certificate can be read from ${certificateFile}: ${(error as Error).message}`);
  }
}

/** Make this process trust a certificate, too. */
function trust(certificateFile: string): void {
  const certificate = readFileSync(certificateFile, "utf8");
  tls.setDefaultCACertificates([...tls.getCACertificates("default"), certificate]);
}
