import { expect, it } from "vitest";
import * as z from "zod";
import { parseBody } from "./parse-body.ts";

const text = z.string();
const place = z.object({ street: text, floor: z.int().optional() });
const body = z.object({
  name: text,
  nickname: text.optional(),
  color: text.default("red"),
  note: text.nullish(),
  anything: z.unknown().optional(),
  home: place.optional(),
  places: z.array(place).optional(),
  placesByName: z.record(text, place).optional(),
  tags: z.array(text).optional(),
  contact: z
    .union([z.strictObject({ email: text }), z.strictObject({ phone: text, country: text.optional() })])
    .optional(),
  kind: z
    .discriminatedUnion("type", [z.object({ type: z.literal("a"), size: z.int().optional() })])
    .readonly()
    .optional(),
  length: z
    .preprocess((value) => value, z.object({ unit: text.optional() }))
    .transform(({ unit = "m" }) => unit)
    .optional(),
});

it.each([
  ["an optional field", { nickname: null }, {}],
  ["a field with a default", { color: null }, {}],
  ["an optional object", { home: null }, {}],
  ["a field of an object", { home: { street: "A", floor: null } }, { home: { street: "A" } }],
  ["a field of an item", { places: [{ street: "A", floor: null }] }, { places: [{ street: "A" }] }],
  [
    "a field of a value",
    { placesByName: { a: { street: "A", floor: null } } },
    { placesByName: { a: { street: "A" } } },
  ],
  [
    "a field of one of several forms",
    { contact: { phone: "1", country: null } },
    { contact: { phone: "1" } },
  ],
  ["a field of another form", { contact: { email: "a", phone: null } }, { contact: { email: "a" } }],
  ["a field of the form that the type names", { kind: { type: "a", size: null } }, { kind: { type: "a" } }],
  ["a field of what is transformed", { length: { unit: null } }, { length: {} }],
])("null for %s counts as absent", (_, withNull, without) => {
  const expected = parseBody(body, { name: "x", ...without });
  expect(expected.success).toBe(true);
  expect(parseBody(body, { name: "x", ...withNull })).toEqual(expected);
});

it("null keeps its meaning where the schema allows it, even next to other nulls", () => {
  const sent = { name: "x", note: null, anything: null, nickname: null };
  expect(parseBody(body, sent).data).toEqual({ name: "x", color: "red", note: null, anything: null });
});

it.each([
  ["a required field", { name: null }, ["name"]],
  ["a required field of an object", { name: "x", home: { street: null } }, ["home", "street"]],
  ["an item of a list", { name: "x", nickname: null, tags: ["a", null] }, ["tags", 1]],
  ["a value of a map", { name: "x", placesByName: { a: null } }, ["placesByName", "a"]],
])("null is refused for %s", (_, sent, path) => {
  expect(parseBody(body, sent).error?.issues.map((issue) => issue.path)).toEqual([path]);
});

it("other faults are refused even where a null is accepted", () => {
  const onlyKnown = z.preprocess(
    (sent, { addIssue }) => {
      for (const name of Object.keys(sent as object)) if (name !== "name") addIssue(`unknown: ${name}`);
      return sent;
    },
    z.object({ name: text.optional() }),
  );
  expect(parseBody(onlyKnown, { name: null, other: null }).error?.issues).toMatchObject([
    { message: "unknown: other" },
  ]);
});

it.each([
  ["null", body.optional(), null],
  ["a list", z.object({ name: text.optional() }), []],
  ["a list of nulls", z.record(text, place), [null]],
])("%s is not an object", (_, schema, sent) => {
  expect(parseBody(schema as z.ZodType, sent).success).toBe(false);
});
