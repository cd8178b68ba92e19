import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openapiOf } from "#functions/platform/api-info/openapi-of.ts";
import { newestVersion } from "#shared/platform/http/versions.ts";
import { parseSettings } from "#shared/registry/settings.ts";

/** Clients in languages whose compilers take minutes. */

const folder = mkdtempSync(join(tmpdir(), "parley-compiled-"));
const documentFile = join(folder, "openapi.json");
const cache = resolve("node_modules/.cache");
const guide = readFileSync("docs/clients/generated.md", "utf8");

beforeAll(() => {
  mkdirSync(cache, { recursive: true });
  writeFileSync(documentFile, JSON.stringify(openapiOf(newestVersion, parseSettings({}))));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const runs = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
const hasJava = runs("java", "-version");
const hasMaven = hasJava && runs("mvn", "-version");
const hasGo = runs("go", "version");
const inJava = { meta: { needs: "Java 17 or newer with Maven, and Maven Central" } };
const inGo = { meta: { needs: "Go, and the proxy of its modules" } };
const inBoth = { meta: { needs: "Java 17 or newer and Go, Maven Central, and the proxy of Go's modules" } };

function run(command: string, args: readonly string[], cwd = folder, env: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  return status === 0 ? "" : `${stdout}${stderr}`.slice(-4000) || `${command} ended with ${status}`;
}

const generator = {
  url: "https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/7.14.0/openapi-generator-cli-7.14.0.jar",
  sha256: "e03186835022ca02da4aa95e3967b6a3b6d44c2e5f7606e6d5c22466f519c757",
};

/** The generator, kept for the next run. @returns undefined when Maven Central cannot be reached */
async function openapiGenerator(): Promise<string | undefined> {
  const file = join(cache, "openapi-generator-cli-7.14.0.jar");
  if (!existsSync(file)) {
    const answer = await fetch(generator.url).catch(() => undefined);
    if (!answer?.ok) return undefined;
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(generator.sha256);
    writeFileSync(file, bytes);
  }
  return file;
}

const generate = (jar: string, language: string, output: string, options: readonly string[]) =>
  run("java", [
    ...["-jar", jar, "generate", "-i", documentFile, "-g", language, "-o", output, "--skip-validate-spec"],
    "--global-property=models,apis,supportingFiles,modelTests=false,apiTests=false,modelDocs=false,apiDocs=false",
    ...options,
  ]);

/** Whether there is a network for the compilers' own downloads. */
const isReachable = async (url: string) => (await fetch(url).catch(() => undefined))?.ok === true;

describe("a client that openapi-generator makes", () => {
  it.skipIf(!hasMaven)("compiles in Java", inJava, async ({ skip }) => {
    const jar = await openapiGenerator();
    if (jar === undefined) return skip(`Needs ${inJava.meta.needs}`);
    const client = join(folder, "java");
    expect(generate(jar, "java", client, [])).toBe("");
    expect(run("mvn", ["-q", "-DskipTests", "compile"], client)).toBe("");
  });

  it.skipIf(!hasJava || !hasGo)("compiles in Go with the options of the guide", inBoth, async ({ skip }) => {
    const jar = await openapiGenerator();
    if (jar === undefined || !(await isReachable("https://proxy.golang.org/")))
      return skip(`Needs ${inBoth.meta.needs}`);
    const client = join(folder, "go");
    const [mappings = ""] = /NewClient=\S+/.exec(guide) ?? [];
    const options = ["--additional-properties=enumClassPrefix=true", "--model-name-mappings", mappings];
    expect(generate(jar, "go", client, options)).toBe("");
    expect(run("go", ["mod", "tidy"], client)).toBe("");
    expect(run("go", ["build", "./..."], client)).toBe("");
  });
});

describe("a client that oapi-codegen makes", () => {
  it.skipIf(!hasGo)("compiles with the configuration of the guide", inGo, async ({ skip }) => {
    if (!(await isReachable("https://proxy.golang.org/"))) return skip(`Needs ${inGo.meta.needs}`);
    const client = join(folder, "oapi");
    mkdirSync(client);
    const [tool = ""] = /github\.com\/oapi-codegen\S+/.exec(guide) ?? [];
    const environment = { GOBIN: join(cache, "go") };
    expect(run("go", ["install", tool], client, environment)).toBe("");
    const config = resolve("docs/clients/oapi-codegen.yaml");
    expect(run(join(environment.GOBIN, "oapi-codegen"), ["-config", config, documentFile], client)).toBe("");
    expect(run("go", ["mod", "init", "example.com/parley"], client)).toBe("");
    expect(run("go", ["mod", "tidy"], client)).toBe("");
    expect(run("go", ["build", "./..."], client)).toBe("");
  });
});
