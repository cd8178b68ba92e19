import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { parseBody } from "#shared/platform/http/parse-body.ts";
import { readBody } from "#shared/platform/http/read-body.ts";
import type { HttpEvent } from "#shared/platform/http/request.ts";
import type { Route } from "#shared/platform/http/route.ts";
import { sampleOf } from "../support/sample.ts";
import { operationTargets, type Target } from "../support/targets.ts";

/** How the row of each operation treats a body: its format, its schema, and the fields that the schema ignores. */

const json = "application/json";
const form = "application/x-www-form-urlencoded";

/** The body as the handler receives it, or `refused`. */
function bodyFor({ route }: Pick<Target, "route">, body: string, type = json): unknown {
  const event = { body, headers: { "content-type": type }, isBase64Encoded: false } as unknown as HttpEvent;
  try {
    const read = readBody(event, route);
    const { success, data } =
      route.body === undefined ? { success: true, data: read } : parseBody(route.body, read);
    return success ? data : refused;
  } catch (error) {
    if (error instanceof ApiError && error.error === "bad-request") return refused;
    throw error;
  }
}
const refused = "refused";

/** Formats other than JSON, or in addition to it. */
const otherFormats: Route["bodyFormat"][] = [
  "form",
  "form-or-multipart",
  "mls",
  "multipart-mixed",
  "protobuf",
  "xml-or-json",
];
const inJson = operationTargets.filter(
  ({ route }) => route.body !== undefined && !otherFormats.includes(route.bodyFormat),
);
/** Operations that take JSON, except those that accept any JSON. */
const inObject = inJson.filter(({ route }) => route.bodyFormat !== "json-text");
const schemaOf = ({ route }: Pick<Target, "route">) => route.body as z.ZodType;

describe("a body in JSON", () => {
  it("is read exactly where its schema has integers of 64 bits", () => {
    const withInt64 = inJson.filter(({ route }) =>
      JSON.stringify(z.toJSONSchema(schemaOf({ route }), { io: "input", unrepresentable: "any" })).includes(
        '"format":"int64"',
      ),
    );
    expect(withInt64.length).toBeGreaterThan(20);
    expect(
      withInt64.filter(({ route }) => route.bodyFormat !== "json-int64").map(({ name }) => name),
    ).toEqual([]);
  });

  it("is refused unless it is an object or a list, or absent where that is allowed", () => {
    const others = ["null", '"text"', "1", "true"];
    const accepted = inObject.flatMap((target) => {
      const schema = schemaOf(target);
      const bodies = [
        ...others,
        ...(schema instanceof z.ZodArray ? [] : ["[]"]),
        ...(schema instanceof z.ZodOptional ? [] : [""]),
      ];
      return bodies
        .filter((body) => bodyFor(target, body) !== refused)
        .map((body) => `${target.name}: ${body}`);
    });
    expect(inObject.length).toBeGreaterThan(0);
    expect(accepted).toEqual([]);
  });

  it("may have null for every optional field, at any depth", () => {
    for (const target of inObject) {
      for (const nulls of ["null", "null in the leaves"] as const) {
        const withNulls = JSON.stringify(sampleOf(schemaOf(target), nulls));
        const without = JSON.stringify(JSON.parse(withNulls), (_, value) => value ?? undefined);
        // The sample may be refused even without the nulls.
        if (bodyFor(target, withNulls) === refused)
          expect([target.name, bodyFor(target, without)]).toEqual([target.name, refused]);
      }
    }
  });
});

describe("a body that an operation does not expect", () => {
  it("is ignored", () => {
    const bodiless = operationTargets.filter(({ route }) => route.body === undefined);
    for (const target of bodiless)
      for (const body of ["{", "null", "\u0000"])
        expect([target.name, bodyFor(target, body)]).toEqual([target.name, undefined]);
  });
});

describe("a field", () => {
  const candidates = [null, 1.5, 2 ** 70, "", "text", true, [], [null], {}, { length: 8 }];
  const objects = inJson.flatMap((target) => {
    const { body } = target.route;
    if (!(body instanceof z.ZodObject)) return [];
    const fields = Object.entries(body.shape as Record<string, z.ZodType>);
    return [{ ...target, body, fields, base: sampleOf(body) as Record<string, unknown> }];
  });
  /** The path of the first problem, as an error names it. */
  const problemOf = (body: z.ZodType, value: unknown) => parseBody(body, value).error?.issues[0]?.path[0];

  it("is refused and named when its type is wrong", () => {
    const wrong: string[] = [];
    for (const { name, body, fields, base } of objects)
      for (const [field, schema] of fields) {
        const mayBeAbsent = schema.safeParse(undefined).success;
        const refused = candidates.filter(
          (value) => !schema.safeParse(value).success && !(value === null && mayBeAbsent),
        );
        for (const value of refused)
          if (problemOf(body, { ...base, [field]: value }) !== field)
            wrong.push(`${name}: ${field} = ${JSON.stringify(value)}`);
      }
    expect(wrong).toEqual([]);
  });

  it("is refused and named when it is required and missing", () => {
    const wrong: string[] = [];
    for (const { name, body, base } of objects)
      for (const field of Object.keys(base)) {
        const { [field]: _, ...others } = base;
        if (problemOf(body, others) !== field) wrong.push(`${name}: ${field}`);
      }
    expect(wrong).toEqual([]);
  });

  it("is ignored when it is unknown", () => {
    const extras = [
      '"unknown":1',
      '"__proto__":{"isAdmin":true}',
      '"constructor":{"prototype":{"isAdmin":true}}',
      '"":0',
    ].join();
    for (const { name, body, base } of objects) {
      const text = JSON.stringify(base);
      const extended = text.replace(/^\{/, base && text === "{}" ? `{${extras}` : `{${extras},`);
      const [parsed, expected] = [extended, text].map((one) => parseBody(body, JSON.parse(one)));
      expect([name, parsed?.success]).toEqual([name, expected?.success]);
      const keepsUnknown = body.def.catchall !== undefined;
      if (!keepsUnknown) expect([name, parsed?.data]).toEqual([name, expected?.data]);
    }
    expect({}).not.toHaveProperty("isAdmin");
  });
});

describe("a form", () => {
  const forms = operationTargets
    .filter(({ route }) => route.bodyFormat === "form" || route.bodyFormat === "json-or-form")
    .map((target) => ({ target, sample: sampleOf(schemaOf(target)) as Record<string, string> }));
  const encode = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

  it("is refused without its required fields, or with empty ones", () => {
    const others = ["", "{}", "null", "x", "&&=&", "%00=%00&%ff=%ff", "__proto__=1", "unknown=1"];
    for (const { target, sample } of forms) {
      const lacking = Object.keys(sample).flatMap((name) => {
        const { [name]: _, ...rest } = sample;
        return [encode(rest), encode({ ...rest, [name]: "" })];
      });
      // Where a page requires no field, only an empty password is sent: it counts as a wrong one.
      const unfit = Object.keys(sample).length === 0 ? others.slice(0, 1) : [...others, ...lacking];
      const accepted = unfit.filter((body) => bodyFor(target, body, form) !== refused);
      expect([target.name, accepted]).toEqual([target.name, []]);
    }
    expect(forms.length).toBeGreaterThan(0);
  });

  it("may have unknown and empty fields, which are ignored", () => {
    for (const { target, sample } of forms) {
      const body = encode(sample);
      for (const extra of ["unknown=1", "__proto__=1", "=1", "unknown="])
        expect([target.name, bodyFor(target, `${body}&${extra}`, form)]).toEqual([
          target.name,
          bodyFor(target, `${body}&`, form),
        ]);
    }
  });
});
