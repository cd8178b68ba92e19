import { describe, expect, test } from "vitest";
import type { OpenApiDocument } from "#shared/http/openapi.ts";
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

/** A document that offers the published operation, but for the changes. */
function documentWith(changes: Changes = {}): OpenApiDocument {
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
    openapi: "3.1.0",
    info: { title: "", version: "8" },
    servers: [],
    paths: { [changes.path ?? "/things/{thing}"]: { put: operation } },
    components: { schemas: { Named: body }, securitySchemes: {} },
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
    ["further labels", { labels: ["access-denied", "too-small", "too-large"] }],
  ])("accepts %s", (_, changes) => {
    expect(differencesOf(changes)).toEqual([]);
  });

  test.each<[string, Changes, string]>([
    ["another path", { path: "/thing/{tid}" }, "is not at PUT /things/{tid}"],
    ["another operation id", { operationId: "name-thing" }, "is called name-thing here"],
    ["a missing query parameter", { query: [] }, "query.force: is missing"],
    ["a missing status", { responses: { 204: undefined } }, "204: never answered"],
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
      "an optional field that is demanded",
      { body: { ...body, required: ["name", "kind"] } },
      "request body.kind: is demanded",
    ],
    [
      "a new field that is demanded",
      { body: { ...body, required: ["name", "size"] } },
      "request body.size: is demanded",
    ],
  ])("finds %s", (_, changes, what) => {
    expect(differencesOf(changes)).toEqual([what]);
  });

  test("tells covered, missing and unpublished operations apart", () => {
    const other = { ...published, id: "delete-thing", method: "DELETE" };
    const { covered, missing, unpublished } = compareInterface(documentWith(), [published, other]);
    expect({ covered, missing: missing.map(({ id }) => id), unpublished }).toEqual({
      covered: ["rename-thing"],
      missing: ["delete-thing"],
      unpublished: [],
    });
    expect(compareInterface(documentWith(), []).unpublished).toEqual(["rename-thing"]);
  });

  test("looks at the operations of the document's version only", () => {
    expect(
      compareInterface(documentWith({ labels: [] }), [{ ...published, versions: [9] }]).differences,
    ).toEqual([]);
  });
});
