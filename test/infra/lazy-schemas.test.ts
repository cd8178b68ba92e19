import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { importsZod, lazySchemas, withLazySchemas, withPureEvents } from "#lib/bundle/lazy-schemas.ts";
import { schemaOnDemand } from "#lib/bundle/schema-on-demand.ts";

const root = join(import.meta.dirname, "..", "..");

describe("what is built on demand", () => {
  const bodyOf = (source: string) => withLazySchemas("module.ts", source).replace(/^import .*?;/, "");
  const onDemand = (schema: string) => `/* @__PURE__ */ schemaOnDemand(() => ${schema})`;

  it.each([
    "z.string()",
    "z.iso.datetime({ precision: 3 }).meta({})",
    "id.optional()",
    "id.regex(/^a/).meta({})",
    "schemas.page.extend({ a: z.string() })",
    "pageOf(id).meta({ id: 'Page' })",
    "storedObject({ a: z.string() })",
    "storedObject(masks).refine(isValid)",
  ])("is %s", (schema) => {
    expect(bodyOf(`const a = ${schema};`)).toBe(`const a = ${onDemand(schema)};`);
    expect(bodyOf(`const of = (id: Id) => ({ a: ${schema} });`)).toBe(
      `const of = (id: Id) => ({ a: ${onDemand(schema)} });`,
    );
  });

  it.each([".parse(text)", ".safeParse(text).data", ".spa(text)", ".options.map((one) => one)"])(
    "is the schema, but not the result of %s on it",
    (read) => {
      expect(bodyOf(`const a = z.enum(names)${read};`)).toBe(
        `const a = ${onDemand("z.enum(names)")}${read};`,
      );
    },
  );

  it("is not a call for its effect", () => {
    expect(bodyOf("changes.extend(more);")).toBe("changes.extend(more);");
  });

  it.each([
    "z.prettifyError(error)",
    "role.options.map((one) => one)",
    "names.map((name) => name)",
    "z.regexes.email.test(text)",
    "schema.meta()?.id",
    "schema?.optional()",
    "resolve(name).catch(() => undefined)",
    "pageOf(id)",
  ])("is not %s", (expression) => {
    expect(bodyOf(`const a = ${expression};`)).not.toMatch(/= \/\*/);
  });
});

it("an event or a kind of items may be left out where nothing uses it", () => {
  expect(withPureEvents("const item = storedItem({});")).toBe("const item = /* @__PURE__ */ storedItem({});");
  expect(withPureEvents("export const teamCreate = defineEvent({});")).toBe(
    "export const teamCreate = /* @__PURE__ */ defineEvent({});",
  );
});

describe("a schema on demand", () => {
  it("is built once, when something of it is read", () => {
    let builds = 0;
    const schema = schemaOnDemand(() => {
      builds++;
      return z.string().meta({ title: "Name" });
    });
    const list = z.array(schema);
    expect(builds).toBe(0);
    expect(list.safeParse(["a"]).success).toBe(true);
    expect(list.safeParse([1]).success).toBe(false);
    expect(schema).toBeInstanceOf(z.ZodString);
    expect("_zod" in schema).toBe(true);
    expect([schema.meta(), schema.optional().safeParse(undefined).success]).toEqual([
      { title: "Name" },
      true,
    ]);
    expect(builds).toBe(1);
  });

  it("is built again after a failure, and must be a schema", () => {
    let fails = true;
    const schema = schemaOnDemand(() => {
      if (fails) throw new Error("not yet");
      return z.string();
    });
    expect(() => schema.parse("a")).toThrow("not yet");
    fails = false;
    expect(schema.parse("a")).toBe("a");
    const answer = schemaOnDemand((): z.ZodType => true as never);
    expect(() => answer.parse("a")).toThrow("No schema: () => true");
  });
});

it("building on demand yields the same schemas as building at once", async () => {
  const files = globSync("{functions,shared}/**/*.ts", {
    cwd: root,
    exclude: ["**/*.test.ts"],
  }).filter((file) => importsZod.test(readFileSync(join(root, file), "utf8")));
  expect(files.length).toBeGreaterThan(100);
  const { outputFiles } = await build({
    stdin: {
      contents: files.map((file, index) => `export * as module${index} from "./${file}";`).join("\n"),
      resolveDir: root,
    },
    bundle: true,
    platform: "node",
    format: "cjs",
    plugins: [lazySchemas],
    write: false,
    logLevel: "error",
  });
  const folder = mkdtempSync(join(tmpdir(), "parley-lazy-schemas-"));
  const bundle = join(folder, "bundle.cjs");
  writeFileSync(bundle, outputFiles[0]?.contents ?? "");
  const bundled = createRequire(import.meta.url)(bundle);
  rmSync(folder, { recursive: true });
  const sources = await Promise.all(files.map((file) => import(join(root, file))));
  const [describeBundled, describeSource] = [describer(), describer()];
  files.forEach((file, index) => {
    const actual = describeBundled({ ...bundled[`module${index}`] });
    expect({ file, exports: actual }).toEqual({ file, exports: describeSource({ ...sources[index] }) });
  });
});

/** Describes exports and all schemas in them by the definitions that zod keeps. */
function describer() {
  const described = new Map<object, unknown>();
  function describeObject(value: object): unknown {
    if ("_zod" in value) {
      const schema = value as z.ZodType;
      return { schema: describe(schema._zod.def), metadata: describe(schema.meta?.()) };
    }
    if (value instanceof RegExp || value instanceof Date) return String(value);
    if (value instanceof Map || value instanceof Set) return [...value].map(describe);
    if (Array.isArray(value)) return value.map(describe);
    return Object.fromEntries(Object.keys(value).map((key) => [key, describe(Reflect.get(value, key))]));
  }
  function describe(value: unknown): unknown {
    if (typeof value === "function") return "function";
    if (typeof value !== "object" || value === null) return value;
    if (!described.has(value)) {
      described.set(value, "an object around this one");
      described.set(value, describeObject(value));
    }
    return described.get(value);
  }
  return describe;
}
