import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openapiOf } from "#functions/platform/api-info/openapi-of.ts";
import { newestVersion } from "#shared/platform/http/versions.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { programFile } from "../support/guides.ts";
import { sharedStack } from "../support/shared-stack.ts";
import { stackWith } from "../support/stack-with.ts";
import { newUser } from "../support/users.ts";

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
/** Long enough to fetch what compilers need, and for the compilers on a busy machine. */
const timeout = 1_200_000;
const inJava = { timeout, meta: { needs: "Java 17 or newer with Maven, and Maven Central" } };
const inGo = { timeout, meta: { needs: "Go, and the proxy of its modules" } };
const inBoth = {
  timeout,
  meta: { needs: "Java 17 or newer and Go, Maven Central, and the proxy of Go's modules" },
};

/** Runs a program without holding up the stack, which is in this thread. */
async function run(command: string, args: readonly string[], cwd = folder, env: NodeJS.ProcessEnv = {}) {
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
  try {
    const { stdout } = await promisify(execFile)(command, args, options);
    return { failure: "", output: stdout };
  } catch (error) {
    const { stdout = "", stderr = "", message } = Object(error);
    return { failure: `${stdout}${stderr}`.slice(-4000) || `${message}`, output: `${stdout}` };
  }
}

const failureOf = async (...command: Parameters<typeof run>) => (await run(...command)).failure;

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
  failureOf("java", [
    ...["-jar", jar, "generate", "-i", documentFile, "-g", language, "-o", output, "--skip-validate-spec"],
    "--global-property=models,apis,supportingFiles,modelTests=false,apiTests=false,modelDocs=false,apiDocs=false",
    ...options,
  ]);

/** Whether there is a network for the compilers' own downloads. */
const isReachable = async (url: string) => (await fetch(url).catch(() => undefined))?.ok === true;

const nameOfUser = "Ada";

/** A user, and a stack whose cookies go into jars without TLS. */
async function newPlan() {
  const [stack, user] = await Promise.all([
    stackWith({}, { hasPlainCookies: true }),
    newUser({ name: nameOfUser }),
  ]);
  return { stack: { ...sharedStack(), ...stack }, user };
}

type Plan = Awaited<ReturnType<typeof newPlan>>;

/** A program beside the guides, which takes an address and a password and prints the name of their user. */
function writeProgram(program: string, file: string, { stack }: Plan): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, programFile(program, stack));
}

async function expectName(plan: Plan, folder: string, command: string, ...args: string[]) {
  const { email, password } = plan.user;
  const { failure, output } = await run(command, [...args, email, password], folder);
  expect(failure).toBe("");
  expect(output.trim()).toBe(nameOfUser);
}

/** Compiles a client and the program of the guide with Maven, and runs it. */
async function expectNameOnJvm(plan: Plan, client: string, mainClass: string) {
  const goals = ["compile", "dependency:build-classpath", "-Dmdep.outputFile=classpath"];
  expect(await failureOf("mvn", ["-q", "-B", "-DskipTests", ...goals], client)).toBe("");
  const classpath = `target/classes${delimiter}${readFileSync(join(client, "classpath"), "utf8").trim()}`;
  await expectName(plan, client, "java", "-cp", classpath, mainClass);
}

describe("a client that openapi-generator makes", () => {
  it.skipIf(!hasMaven)("logs in and refreshes in Java", inJava, async ({ skip }) => {
    const jar = await openapiGenerator();
    if (jar === undefined) return skip(`Needs ${inJava.meta.needs}`);
    const client = join(folder, "java");
    expect(await generate(jar, "java", client, [])).toBe("");
    const plan = await newPlan();
    writeProgram("Main.java", join(client, "src/main/java/Main.java"), plan);
    await expectNameOnJvm(plan, client, "Main");
  });

  it.skipIf(!hasMaven)("logs in and refreshes in Kotlin", inJava, async ({ skip }) => {
    const jar = await openapiGenerator();
    if (jar === undefined) return skip(`Needs ${inJava.meta.needs}`);
    const client = join(folder, "kotlin");
    expect(await generate(jar, "kotlin", client, [])).toBe("");
    const plan = await newPlan();
    writeProgram("Main.kt", join(client, "src/main/kotlin/Main.kt"), plan);
    copyFileSync("test/soak/kotlin-client.pom.xml", join(client, "pom.xml"));
    await expectNameOnJvm(plan, client, "MainKt");
  });

  it.skipIf(!hasJava || !hasGo)("compiles in Go with the options of the guide", inBoth, async ({ skip }) => {
    const jar = await openapiGenerator();
    if (jar === undefined || !(await isReachable("https://proxy.golang.org/")))
      return skip(`Needs ${inBoth.meta.needs}`);
    const client = join(folder, "go");
    const [mappings = ""] = /NewClient=\S+/.exec(guide) ?? [];
    const options = ["--additional-properties=enumClassPrefix=true", "--model-name-mappings", mappings];
    expect(await generate(jar, "go", client, options)).toBe("");
    expect(await failureOf("go", ["mod", "tidy"], client)).toBe("");
    expect(await failureOf("go", ["build", "./..."], client)).toBe("");
  });
});

describe("a client that oapi-codegen makes", () => {
  it.skipIf(!hasGo)("logs in and refreshes with the configuration of the guide", inGo, async ({ skip }) => {
    if (!(await isReachable("https://proxy.golang.org/"))) return skip(`Needs ${inGo.meta.needs}`);
    const client = mkdtempSync(join(folder, "oapi-"));
    const [tool = ""] = /github\.com\/oapi-codegen\S+/.exec(guide) ?? [];
    const environment = { GOBIN: join(cache, "go") };
    expect(await failureOf("go", ["install", tool], client, environment)).toBe("");
    const config = resolve("docs/clients/oapi-codegen.yaml");
    const generator = join(environment.GOBIN, "oapi-codegen");
    expect(await failureOf(generator, ["-config", config, documentFile], client)).toBe("");
    const plan = await newPlan();
    writeProgram("main.go", join(client, "example/main.go"), plan);
    expect(await failureOf("go", ["mod", "init", "example.com/parley"], client)).toBe("");
    expect(await failureOf("go", ["mod", "tidy"], client)).toBe("");
    expect(await failureOf("go", ["build", "./..."], client)).toBe("");
    await expectName(plan, client, "go", "run", "./example");
  });
});
