import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { events } from "#functions/events.ts";
import { openapiOf } from "#functions/platform/api-info/openapi-of.ts";
import { newestVersion } from "#shared/platform/http/versions.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { callsIn } from "../support/example-calls.ts";
import { generatePythonClient, hasPython, inPython, pythonGenerator } from "../support/python.ts";

/** Clients as public generators make them with their default options. */

const root = join(import.meta.dirname, "../..");
const document = openapiOf(newestVersion, parseSettings({}));
const folder = mkdtempSync(join(tmpdir(), "parley-generated-"));
const documentFile = join(folder, "openapi.json");

/** Among more models than this, developers cannot find the one that they need. */
const fewModels = 600;

beforeAll(() => writeFileSync(documentFile, JSON.stringify(document)));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  return { status, output: stdout + stderr };
}

describe("types that openapi-typescript generates with its defaults", () => {
  const types = join(folder, "api.ts");
  const warnings: string[] = [];

  /** Compiles a file beside the types, as strictly as TypeScript can. */
  function compile(name: string, source: string) {
    const project = join(folder, name);
    mkdirSync(project);
    writeFileSync(join(project, "main.ts"), source);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: "esnext",
      module: "esnext",
      moduleResolution: "bundler",
      types: [],
      paths: { "openapi-fetch": [join(root, "node_modules/openapi-fetch/dist/index.d.mts")] },
    };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.ts"] }));
    return run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", project]);
  }

  beforeAll(() => {
    const { status, output } = run(process.execPath, [
      "--import=./test/support/typescript-with-api.mjs",
      "node_modules/openapi-typescript/bin/cli.js",
      documentFile,
      `--output=${types}`,
    ]);
    if (status !== 0) throw new Error(output);
    warnings.push(...output.split("\n").filter((line) => line.includes("\u26a0")));
  });

  it("are generated without a warning", () => expect(warnings).toEqual([]));

  it("accept every example of a request, sent by openapi-fetch", () => {
    const calls = callsIn(document);
    expect(calls.length).toBeGreaterThan(100);
    const source = `
      import createClient from "openapi-fetch";
      import type { paths } from "../api";
      const client = createClient<paths>({ baseUrl: "https://example.com" });
      ${calls.join("\n")}
    `;
    expect(compile("examples", source)).toEqual({ status: 0, output: "" });
  });

  it("distinguish events by their type, and errors by their label", () => {
    const cases = [...new Set(events.map(({ type }) => type))].map(
      (type) => `case "${type}": return event.type;`,
    );
    const source = `
      import type { components, operations } from "../api";
      type Event = components["schemas"]["Event"];
      export function whoJoined(event: Event) {
        return event.type === "conversation.member-join" ? event.data.users.map(({ id }) => id) : [];
      }
      export function kindOf(event: Event): string {
        switch (event.type) {
          ${cases.join("\n")}
          default: return event satisfies never;
        }
      }
      export function whatChanged(event: Event) {
        if (event.type === "user.update") return event.user.name ?? event.user.locale;
        if (event.type === "conversation.member-update") return event.data.conversation_role ?? event.data.hidden;
      }
      export const typesIn = (notification: components["schemas"]["QueuedNotification"]) =>
        notification.payload.map(({ type }) => type) satisfies Event["type"][];
      type LoginError = operations["login"]["responses"][403]["content"]["application/json"];
      export const isSuspended = ({ label }: LoginError) => label === "suspended";
      // @ts-expect-error No login is refused for this.
      export const isImpossible = ({ label }: LoginError) => label === "no-conversation";
    `;
    expect(compile("events", source)).toEqual({ status: 0, output: "" });
  });

  it("declare flags in queries as booleans, and fields with a default as optional", () => {
    const source = `
      import createClient from "openapi-fetch";
      import type { paths } from "../api";
      const client = createClient<paths>({ baseUrl: "https://example.com" });
      client.POST("/login", { params: { query: { persist: true } }, body: { email: "ada@example.com", password: "secret password" } });
      client.POST("/list-connections", { body: {} });
      client.POST("/register", { body: { name: "Ada" } });
    `;
    expect(compile("defaults", source)).toEqual({ status: 0, output: "" });
  });

  it("compile with the program of the guide", () => {
    const [, guide = ""] =
      /^```ts\n(.*?)^```$/ms.exec(readFileSync("docs/clients/generated.md", "utf8")) ?? [];
    expect(compile("guide", guide.replace('"./api"', '"../api"'))).toEqual({ status: 0, output: "" });
  });

  it(`have fewer than ${fewModels} schemas, none in two spellings`, () => {
    const names = Object.keys(document.components.schemas);
    expect(names.length).toBeLessThan(fewModels);
    const spellings = names.map((name) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, ""));
    expect(spellings.filter((name, index) => spellings.indexOf(name) !== index)).toEqual([]);
  });
});

/** Every schema in the document, and in others. */
function* schemasIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value)) yield* schemasIn(inner);
}

/**
 * Parts of the document that keep generators for Java, Kotlin and Go from making clients that compile: `npm run
 * test:soak` compiles some.
 */
describe("clients in typed languages", () => {
  const schemas = [...schemasIn({ paths: document.paths, components: document.components })];
  const names = Object.keys(document.components.schemas);

  it("get whole numbers as integers, of 64 bits unless they are smaller", () => {
    const valuesOf = ({ enum: options, const: constant }: Record<string, unknown>) =>
      Array.isArray(options) ? options : [constant];
    const numbers = schemas.filter((schema) => valuesOf(schema).every(Number.isInteger));
    expect(numbers.length).toBeGreaterThan(0);
    expect(numbers.filter(({ type }) => type !== "integer")).toEqual([]);
    const named = [...schemasIn(document.components.schemas)];
    const unsized = named.filter(({ type, format }) => type === "integer" && format === undefined);
    const large = unsized.filter(
      (schema) => !numbers.includes(schema) && !(Number(schema.maximum) < 2 ** 31),
    );
    expect(large).toEqual([]);
  });

  it("get no constant for a boolean, which they would initialise with a text", () => {
    expect(schemas.filter((schema) => typeof schema.const === "boolean")).toEqual([]);
  });

  it("get no named enumeration of numbers, and no constant `name` without a substitute for this name", () => {
    const valuesOf = ({ enum: options }: Record<string, unknown>) => (Array.isArray(options) ? options : []);
    const named = Object.values(document.components.schemas).map(Object);
    expect(named.filter((schema) => valuesOf(schema).some(Number.isInteger))).toEqual([]);
    const unnamed = schemas.filter((schema) => schema["x-enum-varnames"] === undefined);
    expect(unnamed.filter((schema) => valuesOf(schema).includes("name"))).toEqual([]);
  });

  it("get no schema that is named like a class of their runtimes", () => {
    const ofRuntimes = ["ClientError", "ServerError", "ClientException", "ServerException", "ApiClient"];
    const others = ["ApiException", "ApiResponse", "Configuration", "JSON", "Pair"];
    expect(names.filter((name) => [...ofRuntimes, ...others].includes(name))).toEqual([]);
  });

  it("get no schema that is named like the constructor of another, except for names of the published interface", () => {
    const published = ["NewClient", "NewProvider", "NewService", "NewTeamMember", "NewUser"];
    expect(names.filter((name) => names.includes(`New${name}`)).map((name) => `New${name}`)).toEqual(
      published,
    );
    expect(document.components.schemas).toMatchObject({ NewClient: { "x-go-name": "ClientRegistration" } });
  });

  it("can distinguish the parameters of an operation by their names, even without punctuation", () => {
    type Parameters = { parameters?: readonly Record<string, string>[] };
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path)) as Parameters[];
    const clashing = operations.filter(({ parameters = [] }) => {
      const inGo = parameters.map((one) =>
        (one["x-go-name"] ?? one.name ?? "").replaceAll(/\W|_/g, "").toLowerCase(),
      );
      return new Set(inGo).size < inGo.length;
    });
    expect(clashing).toEqual([]);
  });
});

describe("a client that openapi-python-client generates", () => {
  it.skipIf(!hasPython)(
    `has fewer than ${fewModels} models and all operations, and compiles`,
    inPython,
    ({ skip }) => {
      const environment = pythonGenerator();
      if (environment === undefined) return skip(`Needs ${inPython.meta.needs}`);
      const client = join(folder, "client");
      const generated = generatePythonClient(environment, { documentFile, folder: client });
      expect(generated.output).not.toContain("WARNING");
      expect(generated.status).toBe(0);
      const models = readdirSync(join(client, "models")).filter((file) => file !== "__init__.py");
      expect(models.length).toBeGreaterThan(400);
      expect(models.length).toBeLessThan(fewModels);
      const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods));
      const modules = readdirSync(join(client, "api"), { recursive: true, encoding: "utf8" });
      expect(modules.filter((file) => /\/(?!__)\w+\.py$/.test(file))).toHaveLength(operations.length);
      expect(environment.run("compileall", ["-q", client])).toEqual({ status: 0, output: "" });
      const upload = modules.find((file) => file.endsWith("assets_upload.py")) ?? "";
      expect(readFileSync(join(client, "api", upload), "utf8")).toContain("multipart/mixed");
    },
  );
});
