import { execFile, spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { listen } from "#lib/local/gateway/http-server.ts";
import { api } from "../../support/api.ts";
import { withEffects } from "../../support/effects.ts";
import { programIn, pythonLibrary } from "../../support/guides.ts";
import { decideOnPages } from "../../support/oauth.ts";
import { hasPython, inPython, pythonEnvironment } from "../../support/python.ts";
import { startRunner } from "../../support/runner.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser } from "../../support/users.ts";
import { type FailureWords, failures } from "../oauth/libraries/failures.ts";

const folder = mkdtempSync(join(tmpdir(), "parley-guides-"));
// The quick starts import it.
cpSync("examples/session", folder, { recursive: true });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes the program of a guide into a file. */
function writeProgram(guide: string, language: string, name: string): string {
  const file = join(folder, name);
  writeFileSync(file, programIn(guide, language, sharedStack()));
  return file;
}

/** The lines that a program prints. */
async function linesOf(command: string, args: readonly string[]): Promise<string[]> {
  const { stdout } = await withEffects(() => promisify(execFile)(command, args, { timeout: 90_000 }));
  return stdout.trim().split("\n");
}

const story = ["Bob sees user.connection", "Bob sees conversation.create", "Bob reads hello"];

describe("the quick start in TypeScript", () => {
  it("runs as it is", async () => {
    const program = writeProgram("typescript.md", "ts", "quick-start.ts");
    const whole = [...story, "Bob opens the encrypted file"];
    expect(await linesOf(process.execPath, [program])).toEqual(expect.arrayContaining(whole));
  });

  it("compiles", () => {
    const files = [writeProgram("typescript.md", "ts", "compiled.ts")];
    const project = join(folder, "tsconfig.json");
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: "esnext",
      module: "nodenext",
      moduleDetection: "force",
      allowImportingTsExtensions: true,
      types: ["node"],
      typeRoots: [resolve("node_modules/@types")],
    };
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    writeFileSync(project, JSON.stringify({ compilerOptions, files }));
    const { stdout } = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", project], {
      encoding: "utf8",
    });
    expect(stdout).toBe("");
  });
});

describe("the quick start in Python", () => {
  it.skipIf(!hasPython)("runs as it is", inPython, async ({ skip }) => {
    const environment = pythonEnvironment(pythonLibrary());
    if (environment === undefined) return skip(`Needs ${inPython.meta.needs}`);
    const program = writeProgram("python.md", "python", "quick_start.py");
    expect(await linesOf(environment.python, [program])).toEqual(expect.arrayContaining(story));
  });
});

describe("the guide for OAuth apps", () => {
  it("runs as it is, while a person allows the app", async ({ onTestFinished }) => {
    const [user, port] = await Promise.all([newUser(), freePort()]);
    const apps = join(folder, "apps");
    mkdirSync(apps);
    symlinkSync(resolve("node_modules"), join(apps, "node_modules"), "junction");
    const file = join(apps, "calendar.ts");
    writeFileSync(file, programIn("oauth.md", "ts", sharedStack()).replaceAll("9999", port));
    const program = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void program.kill());

    const lines: string[] = [];
    for await (const line of createInterface(program.stdout)) {
      const address = /^Open (.+)$/.exec(line)?.[1];
      if (address === undefined) lines.push(line);
      else await fetch(await decideOnPages(new URL(address), user, "allow"));
    }
    expect(lines).toEqual(["The app reads Ada", "Refreshed for 300 s", "invalid_grant"]);
  });

  it("explains each scope", async () => {
    const { body } = await api("GET", "/.well-known/oauth-authorization-server");
    const page = readFileSync("docs/clients/oauth.md", "utf8");
    expect([...page.matchAll(/^\| `(\w+:\w+)`/gm)].map(([, scope]) => scope)).toEqual(body.scopes_supported);
  });

  it("lists the failures that libraries are tested with", () => {
    const page = readFileSync("docs/clients/oauth.md", "utf8");
    const rows = Object.values<FailureWords>(failures).map(
      ({ when, status, error }) => `| ${when} |${status === undefined ? "" : ` ${status}`} | \`${error}\` |`,
    );
    expect(page).toContain(`${rows.join("\n")}\n\n`);
  });
});

/** A port that nobody listens on, and that nobody is given who asks for any free one. */
async function freePort(): Promise<string> {
  const port = randomInt(10_000, 30_000);
  try {
    await (await listen(() => undefined, port)).stop();
    return String(port);
  } catch {
    return freePort();
  }
}

it("a client that waits as the guide says overcomes the limits that it meets", async ({ onTestFinished }) => {
  const data = join(folder, "limits");
  mkdirSync(data);
  copyFileSync("docs/clients/low-limits.json", join(data, "settings.json"));
  const runner = await startRunner(data);
  onTestFinished(runner.kill);
  const program = join(folder, "limits.ts");
  writeFileSync(program, programIn("limits.md", "ts", runner));
  let lines: string[] = [];
  const isRefused = (line: string) => line.startsWith("429");
  // On a busy machine, its logins may take so long that it meets no limit.
  for (let count = 0; count < 5 && !lines.some(isRefused); count++)
    lines = await linesOf(process.execPath, [program]);
  expect(lines.filter((line) => line.startsWith("Login"))).toEqual([
    "Login 1: 200",
    "Login 2: 200",
    "Login 3: 200",
    "Login 4: 200",
  ]);
  expect(lines).toContainEqual(expect.stringMatching(/^429 too-many-requests, again after [12] s$/));
});

it("the settings of the guide for existing clients give apps their addresses", async () => {
  const page = readFileSync("docs/clients/existing.md", "utf8");
  const settings = JSON.parse(/^```json\n(.*?)^```$/ms.exec(page)?.[1] ?? "");
  const { publicApi, publicUrl } = await stackWith(settings);
  const { scheme, ...pages } = settings.deepLink;
  expect(await publicApi("GET", "/deeplink.json")).toMatchObject({
    status: 200,
    body: { endpoints: { backendURL: publicUrl, backendWSURL: publicUrl, ...pages } },
  });
  const { body } = await publicApi("GET", "/deeplink.html");
  expect(body).toContain(`${scheme}://access/?config=${encodeURIComponent(`${publicUrl}/deeplink.json`)}`);
});
