import { describe, expect, test } from "vitest";
import { compareInterface } from "./compare-interface.ts";
import type { PublishedOperation } from "./published-interface.ts";

const published: PublishedOperation = {
  id: "rename-thing",
  versions: [8],
  method: "PUT",
  path: "/things/{tid}",
  query: { "force?": "boolean" },
  body: { name: "string", "kind?": "=small|large" },
  responses: { "200": { id: "uuid", "tags?": ["string"] }, "204": null },
  errors: { "403": ["access-denied", "too-small"] },
};

interface Changes {
  readonly path?: string;
  readonly operationId?: string;
  readonly query?: object[];
  readonly body?: object;
  readonly answer?: object;
  readonly responses?: object;
  readonly labels?: string[];
}

const body = {
  type: "object",
  properties: { name: { type: "string" }, kind: { type: "string", enum: ["small", "large"] } },
  required: ["name"],
};
const answer = { type: "object", properties: { id: { type: "string", format: "uuid" } }, required: ["id"] };
const json = (schema: object) => ({ content: { "application/json": { schema } } });

/** An error as the document describes it: the shared schema, narrowed. */
const labelled = (...labels: string[]) =>
  json({ allOf: [{ type: "object" }, { properties: { label: { enum: labels } } }] });

const besideAnswer = (...labels: string[]) =>
  json({ anyOf: [answer, labelled(...labels).content["application/json"].schema] });

/** A document with the published operation, except for the changes. */
function documentWith(changes: Changes = {}): Parameters<typeof compareInterface>[0] {
  const operation = {
    operationId: changes.operationId ?? published.id,
    parameters: changes.query ?? [
      { in: "query", name: "force", required: false, schema: { type: "string", enum: ["true", "false"] } },
    ],
    requestBody: json(changes.body ?? body),
    responses: {
      200: json(changes.answer ?? answer),
      204: {},
      403: json({ properties: { label: { enum: changes.labels ?? ["access-denied", "too-small"] } } }),
      ...changes.responses,
    },
  };
  return {
    info: { title: "", version: "8", description: "", license: {} },
    paths: { [changes.path ?? "/things/{thing}"]: { put: operation } },
    components: {
      schemas: { Named: body },
      responses: { denied: labelled("access-denied", "too-small") },
      securitySchemes: {},
    },
  };
}

const differencesOf = (changes?: Changes) =>
  compareInterface(documentWith(changes), [published]).differences.map(({ what }) => what);

const withField = (schema: typeof body | typeof answer, name: string, property: object) => ({
  ...schema,
  properties: { ...schema.properties, [name]: property },
});

describe("the comparison with the published interface", () => {
  test.each<[string, Changes | undefined]>([
    ["the same operation", undefined],
    ["a body by reference", { body: { $ref: "#/components/schemas/Named" } }],
    ["further fields in an answer", { answer: withField(answer, "size", { type: "integer" }) }],
    ["further optional fields in a request", { body: withField(body, "size", { type: "integer" }) }],
    ["a wider type in a request", { body: withField(body, "kind", { type: "string" }) }],
    [
      "a narrower type in an answer",
      { answer: withField(answer, "tags", { type: "array", items: { const: "a", type: "string" } }) },
    ],
    ["labels of a shared answer", { responses: { 403: { $ref: "#/components/responses/denied" } } }],
    ["labels beside an answer", { responses: { 403: besideAnswer("access-denied", "too-small") } }],
    ["further labels", { labels: ["access-denied", "too-small", "too-large"] }],
  ])("accepts %s", (_, changes) => {
    expect(differencesOf(changes)).toEqual([]);
  });

  test.each<[string, Changes, string]>([
    ["another path", { path: "/thing/{tid}" }, "is not at PUT /things/{tid}"],
    ["another operation id", { operationId: "name-thing" }, "is called name-thing here"],
    ["a missing query parameter", { query: [] }, "query.force: is missing"],
    ["a missing status", { responses: { 204: undefined } }, "204: never answered"],
    [
      "a missing label of a narrowed answer",
      { responses: { 403: labelled("access-denied") } },
      "403 too-small: not declared",
    ],
    [
      "a missing label beside an answer",
      { responses: { 403: besideAnswer("too-small") } },
      "403 access-denied: not declared",
    ],
    ["a missing label", { labels: ["access-denied"] }, "403 too-small: not declared"],
    ["a field that may be absent", { answer: { ...answer, required: [] } }, "200.id: may be absent"],
    ["a missing field in an answer", { answer: { type: "object", required: [] } }, "200.id: is missing"],
    [
      "a wider type in an answer",
      { answer: withField(answer, "id", { type: "string" }) },
      "200.id: is not uuid",
    ],
    [
      "a field that may be null",
      { answer: withField(answer, "tags", { type: ["array", "null"], items: { type: "string" } }) },
      "200.tags: is not just an array",
    ],
    [
      "a field that is not accepted",
      { body: withField(body, "kind", { not: {} }) },
      "request body.kind: is missing",
    ],
    [
      "a narrower type in a request",
      { body: withField(body, "kind", { type: "string", enum: ["small"] }) },
      "request body.kind: is not =small|large",
    ],
    [
      "an optional field that is required",
      { body: { ...body, required: ["name", "kind"] } },
      "request body.kind: is demanded",
    ],
    [
      "a new field that is required",
      { body: { ...body, required: ["name", "size"] } },
      "request body.size: is demanded",
    ],
  ])("reports %s", (_, changes, what) => {
    expect(differencesOf(changes)).toEqual([what]);
  });

  test("separates covered, missing and unpublished operations", () => {
    const other = { ...published, id: "delete-thing", method: "DELETE" };
    const { covered, missing, unpublished } = compareInterface(documentWith(), [published, other]);
    expect({ covered, missing: missing.map(({ id }) => id), unpublished }).toEqual({
      covered: ["rename-thing"],
      missing: ["delete-thing"],
      unpublished: [],
    });
    expect(compareInterface(documentWith(), []).unpublished).toEqual(["rename-thing"]);
  });

  test("considers only operations of the document's version", () => {
    expect(
      compareInterface(documentWith({ labels: [] }), [{ ...published, versions: [9] }]).differences,
    ).toEqual([]);
  });
});
