import { describe, expect, it } from "vitest";
import * as z from "zod";
import { domains as realDomains } from "#shared/registry/domains.ts";
import type { Family } from "../manifest.ts";
import { message } from "../protobuf.ts";
import { type ApiParts, type DocumentOptions, writeOpenApi } from "./openapi.ts";
import type { Route, RouteTable } from "./route.ts";
import { queryFlag } from "./wire-types.ts";

const text = { title: "Things", introduction: "All about things." };
const domains = { ...realDomains, platform: text };

const row: Route = {
  method: "GET",
  path: "/things",
  auth: "user",
  summary: "List the things",
  responses: { 200: null },
  errors: [],
};

function write(routes: RouteTable, options: Partial<DocumentOptions> = {}, events: ApiParts["events"] = []) {
  const family: Family = { domain: "platform", name: "things", summary: "Things", routes };
  return writeOpenApi(
    { families: [family], domains, events },
    { audience: "public", version: 8, title: "Thing API", description: "For things.", ...options },
  );
}

/** The document's form of one row. */
function written(changes: Partial<Route>, options?: Partial<DocumentOptions>) {
  const route = { ...row, ...changes } as Route;
  const document = write({ "do-it": route }, options);
  return { document, operation: document.paths[route.path]?.[route.method.toLowerCase()] };
}

const named = (id: string, shape: z.ZodRawShape) => z.object(shape).meta({ id });

describe("the API document", () => {
  it("states who may call each operation", () => {
    expect(written({}).operation).toMatchObject({ security: [{ accessToken: [] }] });
    expect(written({ auth: "none" }).operation).toMatchObject({ security: [] });
    expect(written({ scope: "read:self" }).operation).toMatchObject({
      security: [{ accessToken: [] }, { oauth: ["read:self"] }],
    });
  });

  it("introduces domains that have operations, and tags each operation with its own", () => {
    const { document, operation } = written({});
    expect(document.tags).toEqual([{ name: "Things", description: "All about things." }]);
    expect(operation).toMatchObject({ tags: ["Things"] });
  });

  it("shows internal operations only to internal callers", () => {
    const routes = { "do-it": row, "i-do-it": { ...row, path: "/i/things", auth: "internal" } as Route };
    expect(Object.keys(write(routes).paths)).toEqual(["/things"]);
    const internal = write(routes, { audience: "internal" });
    expect(Object.keys(internal.paths)).toEqual(["/i/things"]);
    expect(internal.servers).toEqual([{ url: "/" }]);
  });

  it("has a schema for each label of an error, and a union of the possible ones for each status", () => {
    const { document, operation } = written({ errors: ["suspended", "pending-delete"], auth: "none" });
    expect(operation).toMatchObject({
      responses: {
        403: {
          description: expect.stringContaining("- `suspended`: The account is suspended"),
          content: {
            "application/json": {
              schema: {
                anyOf: [
                  { $ref: "#/components/schemas/PendingDeleteError" },
                  { $ref: "#/components/schemas/SuspendedError" },
                ],
              },
            },
          },
        },
      },
    });
    expect(document.components.schemas).toEqual({
      PendingDeleteError: expect.objectContaining({ required: ["code", "label", "message"] }),
      SuspendedError: expect.objectContaining({ required: ["code", "label", "message"] }),
    });
    expect(document.components.schemas.SuspendedError).toMatchObject({
      properties: { label: { const: "suspended" } },
    });
  });

  it("describes defaults of fields in words, and shows flags in queries as booleans", () => {
    const body = z.object({ size: z.int().default(10).meta({ description: "How many" }) });
    const query = z.object({ persist: queryFlag.optional() });
    const { operation } = written({ method: "POST", audit: { none: "a test" }, body, query });
    expect(operation).toMatchObject({
      parameters: [{ name: "persist", required: false, schema: { type: "boolean" } }],
      requestBody: {
        content: {
          "application/json": {
            schema: { properties: { size: { description: "How many. `10` if absent" } } },
          },
        },
      },
    });
    expect(JSON.stringify(operation)).not.toMatch(/"default"|"enum":\["true"/);
  });

  it("refers to a shared answer for an error that is the only one of its status", () => {
    const { document, operation } = written({ errors: ["too-many-requests"], auth: "none" });
    expect(operation).toMatchObject({
      responses: { 429: { $ref: "#/components/responses/too-many-requests" } },
    });
    expect(document.components.responses["too-many-requests"]).toMatchObject({
      headers: { "Retry-After": {} },
    });
  });

  it("shows both where a status stands for an answer and for errors", () => {
    const list = named("List", { items: z.array(z.string()) });
    const responses = { 200: null, 404: list };
    const { operation } = written({ responses, errors: ["not-found"], auth: "none" });
    expect(operation).toMatchObject({
      responses: {
        404: {
          content: { "application/json": { schema: { anyOf: [{ $ref: "#/components/schemas/List" }, {}] } } },
        },
      },
    });
  });

  it("names the headers of successful answers", () => {
    const { operation } = written({ responseHeaders: { Location: "Where it is" } });
    expect(operation).toMatchObject({
      responses: { 200: { headers: { Location: { description: "Where it is" } } } },
    });
  });

  it("offers forms and JSON where both are accepted, and requires no optional body", () => {
    const body = z.object({ name: z.string() });
    const method = "POST";
    const both = written({ method, body, bodyFormat: "json-or-form" }).operation;
    expect(both).toMatchObject({
      requestBody: {
        required: true,
        content: { "application/json": {}, "application/x-www-form-urlencoded": {} },
      },
    });
    expect(written({ method, body: body.optional() }).operation).toMatchObject({
      requestBody: { required: false },
    });
  });

  it("offers protobuf as bytes, alone or next to JSON", () => {
    const protobuf = { message: message("NewThing", {}), decode: (bytes: Uint8Array) => bytes };
    const body = z.object({ name: z.string() });
    const contentOf = (bodyFormat: Route["bodyFormat"]) =>
      written({ method: "POST", body, bodyFormat, protobuf }).operation;
    const description = expect.stringMatching(/The message `NewThing`:.*message NewThing \{/s);
    const bytes = { schema: { type: "string", format: "binary", description } };
    expect(contentOf("protobuf")).toMatchObject({
      requestBody: { required: true, content: { "application/x-protobuf": bytes } },
    });
    expect(contentOf("json-or-protobuf")).toMatchObject({
      requestBody: {
        content: { "application/json": { schema: { type: "object" } }, "application/x-protobuf": bytes },
      },
    });
  });

  it("lists events as webhooks, all forms of one type together", () => {
    const event = (field: string) => ({
      type: "thing.change",
      summary: `A ${field} changes`,
      recipients: "everybody",
      schema: z.object({
        time: z.string(),
        value: field === "name" ? z.string() : z.int(),
        data: z.object({ id: z.string().meta({ description: `Id of a ${field}` }), [field]: z.string() }),
      }),
    });
    const { webhooks, components } = write({ "do-it": row }, {}, [event("name"), event("size")]);
    expect(webhooks).toMatchObject({
      "thing.change": {
        post: {
          summary: "A name changes; or: A size changes",
          requestBody: {
            content: {
              "application/json": {
                schema: { $ref: "#/components/schemas/ThingChangeEvent" },
              },
            },
          },
        },
      },
    });
    expect(components.schemas).toMatchObject({
      ThingChangeEvent: {
        type: "object",
        properties: {
          type: { const: "thing.change" },
          value: { anyOf: [{ type: "string" }, { type: "integer" }] },
          data: {
            properties: { id: { description: "Id of a name" }, name: {}, size: {} },
            required: ["id"],
          },
        },
        required: ["type", "time", "value", "data"],
      },
      Event: {
        oneOf: [{ $ref: "#/components/schemas/ThingChangeEvent" }],
        discriminator: { propertyName: "type" },
      },
    });
    expect(Object.keys(components.schemas)).not.toContainEqual(expect.stringMatching("Form"));
  });

  it("leaves out headers that clients do not set themselves", () => {
    const headers = z.object({ Host: z.string().meta({ setBy: "browser" }), DPoP: z.string() });
    expect(written({ headers }).operation).toMatchObject({ parameters: [{ name: "DPoP", in: "header" }] });
  });
});

describe("no API document is written", () => {
  it.each(["Host", "Sec-Fetch-Site", "accept-language", "Origin"])(
    "with the header %s as a parameter",
    (name) => {
      expect(() => written({ headers: z.object({ [name]: z.string().optional() }) })).toThrow(
        `do-it: callers do not set ${name}`,
      );
    },
  );

  it("with a path parameter that is not declared, or declared and not in the path", () => {
    const params = z.object({ id: z.string() });
    expect(() => written({ path: "/things/{id}" })).toThrow("do-it: its path has the parameters [id]");
    expect(() => written({ params })).toThrow("`params` declares [id]");
    expect(() => written({ path: "/things/{key}", params })).toThrow("[key], and `params` declares [id]");
  });

  it("with one id for two different schemas, wherever they are", () => {
    const one = named("Thing", { name: z.string() });
    const other = named("Thing", { size: z.int() });
    const method = "POST";
    expect(() => written({ method, body: one, responses: { 200: other } })).toThrow(
      "do-it: the schema id Thing is taken",
    );
    expect(() => written({ method, body: one, responses: { 200: z.array(other) } })).toThrow(
      "the schema id Thing is taken",
    );
    expect(() => written({ method, body: one, responses: { 200: one } })).not.toThrow();
  });

  it("with two rows for one method and path in one version", () => {
    expect(() => write({ "do-it": row, "do-it-again": row })).toThrow("do-it-again: another row");
    expect(() => write({ "do-it-v7": { ...row, until: 7 }, "do-it": { ...row, since: 8 } })).not.toThrow();
  });
});
