import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { DomainText } from "#shared/registry/domains.ts";
import { oauthScopes, openIdScopes } from "#shared/registry/oauth-scopes.ts";
import type { Family } from "../manifest.ts";
import type { Domain } from "../product.ts";
import { toProtoText } from "../protobuf.ts";
import { Components, eventNameOf, type JsonSchema, mergeForms } from "./openapi-components.ts";
import { describeResponses } from "./openapi-responses.ts";
import type { Auth, Route } from "./route.ts";
import { existsIn } from "./versions.ts";
import { anyObject } from "./wire-types.ts";

/** The input of a document. */
export interface ApiParts {
  readonly families: readonly Family[];
  /** In reading order. */
  readonly domains: Readonly<Record<Domain, DomainText>>;
  readonly events: readonly EventText[];
}

/** An event as the document shows it; several may have one type. */
interface EventText {
  readonly type: string;
  readonly summary: string;
  /** The recipients. */
  readonly recipients: string;
  /** The fields of the event, without `type`. */
  readonly schema: z.ZodObject;
}

/** The parts of an OpenAPI document that we write. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: object;
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Record<string, Record<string, unknown>>;
  readonly webhooks?: Record<string, unknown>;
  readonly components: {
    readonly schemas: Record<string, unknown>;
    readonly responses: Record<string, unknown>;
    readonly securitySchemes: Record<string, unknown>;
  };
}

/** What distinguishes one document from another. */
export interface DocumentOptions {
  readonly audience: "public" | "internal";
  readonly version: number;
  readonly title: string;
  readonly description: string;
}

const json = "application/json";
const scimJson = "application/scim+json";
const xml = "application/xml";
const multipart = "multipart/form-data";
const form = "application/x-www-form-urlencoded";
const protobufType = "application/x-protobuf";

/**
 * Describes the operations of one version for one audience as OpenAPI 3.1, from the route tables that also validate.
 *
 * @throws Error naming the row that would make the document wrong
 */
export function writeOpenApi(
  { families, domains, events }: ApiParts,
  { audience, version, title, description }: DocumentOptions,
): OpenApiDocument {
  const components = new Components();
  const paths: OpenApiDocument["paths"] = {};
  const tags: OpenApiDocument["tags"][number][] = [];
  for (const [domain, text] of Object.entries(domains)) {
    const operations = families
      .filter((family) => family.domain === domain)
      .flatMap(({ routes }) => Object.entries(routes))
      .filter(([, route]) => (route.auth === "internal") === (audience === "internal"))
      .filter(([, route]) => existsIn(route, version) && route.isForBrowsersOnly !== true);
    if (operations.length > 0) tags.push({ name: text.title, description: text.introduction });
    for (const [operationId, route] of operations) {
      const method = route.method.toLowerCase();
      try {
        if (paths[route.path]?.[method]) throw new Error("another row has this method and path");
        const operation = { operationId, tags: [text.title], ...describe(route, components) };
        paths[route.path] = { ...paths[route.path], [method]: operation };
      } catch (cause) {
        throw new Error(`${operationId}: ${(cause as Error).message}`, { cause });
      }
    }
  }
  const webhooks = describeEvents(events, domains.events.title, components);
  if (events.length > 0) defineEventUnion(events, components);
  return {
    openapi: "3.1.0",
    info: {
      title,
      version: String(version),
      description,
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: audience === "public" ? `/v${version}` : "/" }],
    tags,
    paths,
    ...(events.length > 0 && { webhooks }),
    components: {
      schemas: components.schemas,
      responses: components.responses,
      securitySchemes: audience === "public" ? publicSchemes : internalSchemes,
    },
  };
}

const publicSchemes = {
  accessToken: {
    type: "http",
    scheme: "bearer",
    description:
      "Access token from `login` or `access`, valid for 15 minutes. If you cannot set a header, send it as the query " +
      "parameter `access_token`.",
  },
  cookie: {
    type: "apiKey",
    in: "cookie",
    name: "zuid",
    description: "Cookie that `login` and `register` set, for paths below `/access` only.",
  },
  domainOwnership: {
    type: "http",
    scheme: "bearer",
    description: "Token from `verify-challenge`, which proves who verified an email domain last.",
  },
  scimToken: {
    type: "http",
    scheme: "bearer",
    description: "Token of a team's directory, from `auth-tokens-create`, for paths below `/scim/v2` only.",
  },
  providerToken: {
    type: "http",
    scheme: "bearer",
    description:
      "Token of a provider, from the cookie `zprovider`, for paths below `/provider` only. The query parameter " +
      "`access_token` works, too.",
  },
  providerCookie: {
    type: "apiKey",
    in: "cookie",
    name: "zprovider",
    description: "Cookie that `provider-login` sets, for paths below `/provider` only.",
  },
  botToken: {
    type: "http",
    scheme: "bearer",
    description:
      "Token of a bot, which its service gets when the bot is added to a conversation. It ends with the bot.",
  },
  oauth: {
    type: "oauth2",
    description: "Access token of an app, from `create-oauth-access-token`.",
    flows: {
      authorizationCode: {
        authorizationUrl: "/authorize",
        tokenUrl: "/oauth/token",
        scopes: Object.fromEntries(
          [...oauthScopes, ...openIdScopes].map((scope) => [
            scope,
            `Allows the operations that require \`${scope}\``,
          ]),
        ),
      },
    },
  },
};

const internalSchemes = {
  signature: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description:
      "AWS Signature Version 4 for the service `execute-api`, by a principal that IAM allows to call this API. Not " +
      "checked on a local stack.",
  },
};

const securityOf: Readonly<Record<Auth, readonly object[]>> = {
  none: [],
  user: [{ accessToken: [] }],
  cookie: [{ cookie: [] }, { cookie: [], accessToken: [] }],
  "domain-owner": [{ domainOwnership: [] }],
  scim: [{ scimToken: [] }],
  provider: [{ providerToken: [] }, { providerCookie: [] }],
  bot: [{ botToken: [] }],
  internal: [{ signature: [] }],
};

function describe(route: Route, components: Components) {
  const { summary, description, auth, scope } = route;
  const parameters = [
    ...pathParametersOf(route, components),
    ...parametersOf("query", route.query, components),
    ...headerParametersOf(route, components),
  ];
  return {
    summary,
    ...(description && { description }),
    security: [...securityOf[auth], ...(scope ? [{ oauth: [scope] }] : [])],
    // The cookie's path has no version.
    ...(auth === "cookie" && { servers: [{ url: "/" }] }),
    ...(parameters.length > 0 && { parameters }),
    ...describeBody(route, components),
    responses: describeResponses(route, components),
  };
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: JsonSchema;
}

function parametersOf(
  place: Parameter["in"],
  schema: z.ZodType | undefined,
  components: Components,
): Parameter[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = components.inline(schema, "input") as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, deprecated, goName, ...property }]) => ({
    name,
    in: place,
    // Read by `oapi-codegen`, which otherwise uses one field for a name of both a query and a header.
    ...(goName !== undefined && { "x-go-name": goName }),
    ...(description !== undefined && { description }),
    ...(deprecated !== undefined && { deprecated }),
    required: place === "path" || required.includes(name),
    schema: property,
  }));
}

function pathParametersOf({ path, params }: Route, components: Components): Parameter[] {
  const parameters = parametersOf("path", params, components);
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const declared = parameters.map(({ name }) => name);
  if (!isDeepStrictEqual(new Set(inPath), new Set(declared))) {
    throw new Error(`its path has the parameters [${inPath}], and \`params\` declares [${declared}]`);
  }
  return parameters;
}

/** Headers that a browser, a proxy or HTTP itself sets, or that the document describes in another way. */
const foreignHeader =
  /^(accept|authorization|connection|content|cookie|host|origin|referer|sec|user-agent|via|x-amz|x-forwarded)(-|$)/i;

/** Leaves out headers that clients do not set themselves, according to `setBy` of the schema. */
function headerParametersOf({ headers }: Route, components: Components): Parameter[] {
  const parameters = parametersOf("header", headers, components).filter(({ schema }) => !("setBy" in schema));
  const foreign = parameters.find(({ name }) => foreignHeader.test(name));
  if (foreign) {
    throw new Error(`callers do not set ${foreign.name}: say who does by .meta({ setBy: … }) on its schema`);
  }
  return parameters;
}

function describeBody({ body, bodyFormat = "json", errorFormat, protobuf }: Route, components: Components) {
  if (body === undefined) return {};
  // Only the page that has the form sends it.
  const shape = errorFormat === "page" && bodyFormat === "form" ? anyObject : body;
  const types = {
    json: [json],
    "json-text": [json],
    "json-int64": [json],
    form: [form],
    "form-or-multipart": [form, multipart],
    "json-or-form": [json, form],
    "json-or-protobuf": [json, protobufType],
    mls: ["message/mls"],
    "multipart-mixed": ["multipart/mixed"],
    scim: [scimJson, json],
    "xml-or-json": [json, xml],
    protobuf: [protobufType],
  }[bodyFormat];
  const schemaOf = (type: string) => {
    if (type === xml) return { type: "string", description: "What is sent as `value` in JSON" };
    if (type !== protobufType || protobuf === undefined) return components.refer(shape, "input");
    const { message } = protobuf;
    const description = `${protobufIds}\n\nThe message \`${message.name}\`:\n\n\`\`\`proto\n${toProtoText(message)}\n\`\`\``;
    return { type: "string", format: "binary", description };
  };
  return {
    requestBody: {
      required: bodyFormat === "xml-or-json" || !body.safeParse(undefined).success,
      content: Object.fromEntries(types.map((type) => [type, { schema: schemaOf(type) }])),
    },
  };
}

/** How ids of devices in protobuf relate to those elsewhere. */
const protobufIds =
  "In protobuf, the id of a device is a `uint64`; in JSON and in paths, the same number is written in lower-case hex " +
  "without leading zeros: 255 is `ff`.";

/** Describes the events that the service sends over sockets and in notifications. */
function describeEvents(events: readonly EventText[], tag: string, components: Components): JsonSchema {
  const byType = Map.groupBy(events, ({ type }) => type);
  return Object.fromEntries(
    [...byType].map(([type, forms]) => {
      const operation = {
        operationId: type,
        tags: [tag],
        summary: forms.map(({ summary }) => summary).join("; or: "),
        description: forms
          .map(({ summary, recipients }) => `${summary}: sent to ${recipients}.`)
          .join("\n\n"),
        security: [],
        requestBody: {
          required: true,
          content: { [json]: { schema: defineEvent(type, forms, components) } },
        },
        responses: { 200: { description: "No answer" } },
      };
      return [type, { post: operation }];
    }),
  );
}

/** The schema of the events of one type: one object, because generators tell the members of a union apart by a field of each. */
function defineEvent(type: string, forms: readonly EventText[], components: Components): JsonSchema {
  const schemas = forms.map(({ schema }) =>
    components.inline(z.object({ type: z.literal(type), ...schema.shape }), "output"),
  );
  return components.define(eventNameOf(type), mergeForms(schemas));
}

/** The schema of all events, which are distinguished by `type`; notifications refer to it. */
function defineEventUnion(events: readonly EventText[], components: Components): void {
  const types = [...new Set(events.map(({ type }) => type))];
  const referenceTo = (type: string) => `#/components/schemas/${eventNameOf(type)}`;
  components.define("Event", {
    description: "An event; `type` tells which. Clients have to ignore types that they do not know.",
    oneOf: types.map((type) => ({ $ref: referenceTo(type) })),
    discriminator: {
      propertyName: "type",
      mapping: Object.fromEntries(types.map((type) => [type, referenceTo(type)])),
    },
  });
}
