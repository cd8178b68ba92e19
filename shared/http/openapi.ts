import * as z from "zod";
import { type ErrorRow, errorCatalogue } from "../errors.ts";
import type { Family } from "../family.ts";
import { impliedErrors, type ResponseBody, type Route } from "./route.ts";
import { existsIn } from "./versions.ts";

export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Record<string, Record<string, unknown>>;
  readonly components: {
    readonly schemas: Record<string, unknown>;
    readonly securitySchemes: Record<string, unknown>;
  };
}

type JsonSchema = Record<string, unknown>;

const json = "application/json";
const form = "application/x-www-form-urlencoded";

/** The public operations of one version as OpenAPI 3.1, written from the route tables that also validate. */
export function writeOpenApi(
  families: readonly Family[],
  { version, title }: { version: number; title: string },
): OpenApiDocument {
  const components = new Components();
  const paths: OpenApiDocument["paths"] = {};
  for (const family of families) {
    for (const [operationId, route] of Object.entries(family.routes)) {
      if (route.auth === "internal" || !existsIn(route, version)) continue;
      const operation = { operationId, tags: [family.name], ...describe(route, components) };
      paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation };
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: `${title} API`, version: String(version) },
    servers: [{ url: `/v${version}` }],
    paths: Object.fromEntries(Object.entries(paths).sort(([one], [other]) => one.localeCompare(other))),
    components: {
      schemas: components.sorted(),
      securitySchemes: {
        accessToken: { type: "http", scheme: "bearer", description: "Access token of a login" },
        cookie: {
          type: "apiKey",
          in: "cookie",
          name: "zuid",
          description: "Cookie of a login or registration",
        },
      },
    },
  };
}

const securityOf = {
  none: [],
  user: [{ accessToken: [] }],
  cookie: [{ cookie: [] }, { cookie: [], accessToken: [] }],
  internal: [],
} as const;

function describe(route: Route, components: Components) {
  const { summary, auth, params, query, headers, body, bodyFormat, responses } = route;
  return {
    summary,
    ...(auth !== "none" && { security: securityOf[auth] }),
    // The cookie's path has no version.
    ...(auth === "cookie" && { servers: [{ url: "/" }] }),
    parameters: [
      ...parametersOf("path", params, components),
      ...parametersOf("query", query, components),
      ...parametersOf("header", headers, components),
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: { [bodyFormat === "form" ? form : json]: { schema: components.refer(body, "input") } },
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, response]) => [
          status,
          describeResponse(response, components),
        ]),
      ),
      ...describeErrors(route),
    },
  };
}

function parametersOf(
  place: "path" | "query" | "header",
  schema: z.ZodType | undefined,
  components: Components,
) {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = components.inline(schema, "input") as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    schema: property,
  }));
}

function describeResponse(response: ResponseBody, components: Components) {
  if (response === null) return { description: "" };
  if (!("parse" in response))
    return { description: "", content: { [response.contentType]: { schema: { type: "string" } } } };
  return { description: "", content: { [json]: { schema: components.refer(response, "output") } } };
}

/** Errors by status, with all labels that can occur. */
function describeErrors(route: Route): Record<string, unknown> {
  const names = [...route.errors, ...impliedErrors(route)];
  const byStatus = Map.groupBy(
    names.map((name): ErrorRow => errorCatalogue[name]),
    ({ status }) => status,
  );
  return Object.fromEntries(
    [...byStatus]
      .sort(([one], [other]) => one - other)
      .map(([status, rows]) => {
        const labels = [...new Set(rows.map(({ label }) => label))].sort();
        const fields = rows.flatMap((row) => row.fields ?? []);
        return [
          status,
          {
            description: labels.join(", "),
            content: { [json]: { schema: errorSchema(status, labels, fields) } },
          },
        ];
      }),
  );
}

const errorSchema = (status: number, labels: readonly string[], fields: readonly string[]): JsonSchema => ({
  type: "object",
  properties: {
    code: { type: "integer", enum: [status] },
    label: { type: "string", enum: labels },
    message: { type: "string" },
    ...Object.fromEntries(fields.map((field) => [field, { type: "integer" }])),
  },
  required: ["code", "label", "message"],
});

/** Collects schemas that carry an id, so that each stands once in the document. */
class Components {
  readonly #schemas = new Map<string, JsonSchema>();

  refer(schema: z.ZodType, io: "input" | "output"): JsonSchema {
    const { $defs, id, ...root } = this.#convert(schema, io);
    this.#collect($defs);
    if (typeof id !== "string") return root;
    this.#schemas.set(id, root);
    return { $ref: `#/components/schemas/${id}` };
  }

  inline(schema: z.ZodType, io: "input" | "output"): JsonSchema {
    const { $defs, id: _, ...root } = this.#convert(schema, io);
    this.#collect($defs);
    return root;
  }

  sorted(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([one], [other]) => one.localeCompare(other)));
  }

  #collect(definitions: unknown): void {
    for (const [name, { id: _, ...definition }] of Object.entries(
      (definitions ?? {}) as Record<string, JsonSchema>,
    )) {
      this.#schemas.set(name, definition);
    }
  }

  #convert(schema: z.ZodType, io: "input" | "output"): JsonSchema {
    const converted = z.toJSONSchema(schema, { io, unrepresentable: "any", target: "draft-2020-12" });
    const { $schema: _, ...rest } = JSON.parse(
      JSON.stringify(converted).replaceAll("#/$defs/", "#/components/schemas/"),
    );
    return rest;
  }
}
