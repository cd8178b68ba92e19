import type { OpenApiDocument } from "#shared/platform/http/openapi.ts";
import type { PublishedOperation, Shape } from "./published-interface.ts";

export interface Comparison {
  /** Ids of published operations that the document has. */
  readonly covered: readonly string[];
  /** Published operations that it lacks. */
  readonly missing: readonly PublishedOperation[];
  /** Ids of operations in the document that are not published. */
  readonly unpublished: readonly string[];
  /** Differences that would break a client of the published interface. */
  readonly differences: readonly Difference[];
}

interface Difference {
  /** Published operation id. */
  readonly operation: string;
  /** Place and finding, such as `200.cookies[].label: is not just string` or `403 suspended: not declared`. */
  readonly what: string;
}

interface Reference {
  /** Such as `#/components/schemas/User`. */
  readonly $ref?: string;
}

interface Schema extends Reference {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  /** The empty schema: a field that nobody may send. */
  readonly not?: Schema;
}

interface Body extends Reference {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { in: string; name: string; required: boolean; schema: Schema }[];
  readonly requestBody?: Body & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Body>>;
}

interface Components {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly responses: Readonly<Record<string, Body>>;
}

/** The client may be the stricter side in a request, the server in a response. */
type Direction = "request" | "response";

/** Compare an API document with the operations published for its version. Parameter names in paths do not count. */
export function compareInterface(
  document: Pick<OpenApiDocument, "info" | "paths" | "components">,
  published: readonly PublishedOperation[],
): Comparison {
  const own = new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        routeKey(method, path),
        operation as unknown as Operation,
      ]),
    ),
  );
  const expected = published.filter(({ versions }) => versions.includes(Number(document.info.version)));
  const expectedKeys = new Set(expected.map(({ method, path }) => routeKey(method, path)));
  const ownIds = new Set([...own.values()].map(({ operationId }) => operationId));

  const covered = expected.filter(({ method, path }) => own.has(routeKey(method, path)));
  const missing = expected.filter((operation) => !covered.includes(operation));
  const moved = missing.filter(({ id }) => ownIds.has(id));
  const comparer = new Comparer(document.components as Components);
  return {
    covered: covered.map(({ id }) => id),
    missing,
    unpublished: [...own].flatMap(([key, { operationId }]) => (expectedKeys.has(key) ? [] : [operationId])),
    differences: [
      ...moved.map(({ id, method, path }) => ({ operation: id, what: `is not at ${method} ${path}` })),
      ...covered.flatMap((operation) => {
        const implemented = own.get(routeKey(operation.method, operation.path)) as Operation;
        return comparer.operation(operation, implemented).map((what) => ({ operation: operation.id, what }));
      }),
    ],
  };
}

const routeKey = (method: string, path: string) =>
  `${method.toUpperCase()} ${path.replaceAll(/\{[^}]*\}/g, "{}")}`;

class Comparer {
  readonly #components: Components;

  constructor(components: Components) {
    this.#components = components;
  }

  operation(published: PublishedOperation, own: Operation): string[] {
    return [
      ...(published.id === own.operationId.replace(/@v\d+$/, "")
        ? []
        : [`is called ${own.operationId} here`]),
      ...this.#query(published, own),
      ...this.#requestBody(published, own),
      ...this.#responses(published, own),
      ...this.#errors(published, own),
    ];
  }

  #query({ query = {} }: PublishedOperation, { parameters = [] }: Operation): string[] {
    const own = parameters.filter((parameter) => parameter.in === "query");
    const schema: Schema = {
      type: "object",
      properties: Object.fromEntries(own.map((parameter) => [parameter.name, parameter.schema])),
      required: own.filter(({ required }) => required).map(({ name }) => name),
    };
    // All values in a query are text, even numbers and booleans.
    return this.#value(asTexts(query), asTextSchemas(schema), { direction: "request", place: "query" });
  }

  #requestBody({ body, bodyTypes = [] }: PublishedOperation, { requestBody }: Operation): string[] {
    const content = requestBody?.content ?? {};
    const schema = (content["application/json"] ?? content[formType])?.schema;
    const missingTypes = bodyTypes.filter((type) => content[type] === undefined);
    return [
      ...missingTypes.map((type) => `request body: ${type} is not accepted`),
      ...(body !== undefined && schema === undefined ? ["request body: is not accepted"] : []),
      ...(body === undefined && bodyTypes.length === 0 && requestBody?.required
        ? ["request body: is demanded"]
        : []),
      ...(body !== undefined && schema
        ? this.#value(body, schema, { direction: "request", place: "request body" })
        : []),
    ];
  }

  #responses({ responses }: PublishedOperation, own: Operation): string[] {
    return Object.entries(responses).flatMap(([status, shape]) => {
      if (own.responses[status] === undefined) return [`${status}: never answered`];
      const answer = this.#response(own, status);
      if (shape === null) return [];
      if (typeof shape === "string" && shape.includes("/")) {
        const types = Object.keys(answer.content ?? {}).map((type) => type.replace(/;.*$/, ""));
        return types.includes(shape) ? [] : [`${status}: is not ${shape}`];
      }
      const schema = answer.content?.["application/json"]?.schema;
      if (schema === undefined) return [`${status}: has no JSON body`];
      return this.#value(shape, schema, { direction: "response", place: status });
    });
  }

  #errors({ errors }: PublishedOperation, own: Operation): string[] {
    return Object.entries(errors).flatMap(([status, labels]) => {
      const declared = this.#labels(this.#response(own, status).content?.["application/json"]?.schema);
      return labels
        .filter((label) => !declared.includes(label))
        .map((label) => `${status} ${label}: not declared`);
    });
  }

  #value(shape: Shape, schema: Schema, context: { direction: Direction; place: string }): string[] {
    const own = this.#resolve(schema);
    const { direction, place } = context;
    const alternatives = own.anyOf ?? own.oneOf ?? splitTypes(own);
    if (alternatives) {
      const outcomes = alternatives.map((alternative) => this.#value(shape, alternative, context));
      // One accepted form is enough in a request, but a client must understand every form of a response.
      const isFine = direction === "request" ? outcomes.some(isEmpty) : outcomes.every(isEmpty);
      return isFine ? [] : [`${place}: is not just ${show(shape)}`];
    }
    if (shape === "any" || (direction === "request" && isEmpty(Object.keys(own)))) return [];
    if (typeof shape === "string") {
      const isFine = direction === "request" ? accepts(own, shape) : yields(own, shape);
      return isFine ? [] : [`${place}: is not ${shape}`];
    }
    if (isArray(shape)) {
      if (own.type !== "array") return [`${place}: is not an array`];
      return this.#value(shape[0], own.items ?? {}, { direction, place: `${place}[]` });
    }
    if (own.type !== "object") return [`${place}: is not an object`];
    return this.#fields(shape, own, context);
  }

  #fields(
    shape: Readonly<Record<string, Shape>>,
    { properties = {}, required = [], additionalProperties }: Schema,
    { direction, place }: { direction: Direction; place: string },
  ): string[] {
    const fields = Object.entries(shape).map(([name, value]) => ({
      name: name.replace(/\?$/, ""),
      isOptional: name.endsWith("?"),
      value,
    }));
    const differences = fields.flatMap(({ name, isOptional, value }) => {
      const at = `${place}.${name}`;
      const own = name === "*" ? restOf(additionalProperties) : properties[name];
      if (own === undefined || own.not)
        return direction === "response" && isOptional ? [] : [`${at}: is missing`];
      const isPromised = direction === "request" || isOptional || name === "*" || required.includes(name);
      return [
        ...(isPromised ? [] : [`${at}: may be absent`]),
        ...this.#value(value, own, { direction, place: at }),
      ];
    });
    if (direction === "response") return differences;
    const optional = new Set(fields.filter(({ isOptional }) => isOptional).map(({ name }) => name));
    const known = new Set(fields.map(({ name }) => name));
    const demanded = required.filter((name) => optional.has(name) || !known.has(name));
    return [...differences, ...demanded.map((name) => `${place}.${name}: is demanded`)];
  }

  /** Labels that a response can have, in any of its forms. */
  #labels(schema: Schema = {}): readonly unknown[] {
    const { allOf = [], anyOf = [], properties } = this.#resolve(schema);
    const parts = [...allOf, ...anyOf].flatMap((part) => this.#labels(part));
    return [...parts, ...((properties?.label && ownValues(properties.label)) ?? [])];
  }

  #resolve(schema: Schema): Schema {
    return schema.$ref === undefined
      ? schema
      : this.#resolve(this.#components.schemas[nameOf(schema.$ref)] ?? {});
  }

  #response({ responses }: Operation, status: string): Body {
    const { $ref, ...response } = responses[status] ?? {};
    return $ref === undefined ? response : (this.#components.responses[nameOf($ref)] ?? {});
  }
}

const nameOf = (reference: string) => reference.slice(reference.lastIndexOf("/") + 1);
const formType = "application/x-www-form-urlencoded";
const isArray = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);
const isEmpty = (list: readonly unknown[]) => list.length === 0;
const show = (shape: Shape) =>
  typeof shape === "string" ? shape : isArray(shape) ? "an array" : "an object";

const splitTypes = (schema: Schema): Schema[] | undefined =>
  Array.isArray(schema.type) ? schema.type.map((type: string) => ({ ...schema, type })) : undefined;

/** Schema of the fields that an object schema does not name. */
const restOf = (rest: Schema | boolean | undefined): Schema | undefined =>
  rest === false ? undefined : typeof rest === "object" ? rest : {};

const textsOf = (shape: string) => (shape.startsWith("=") ? shape.slice(1).split("|") : undefined);
const ownValues = ({ const: constant, enum: values }: Schema): readonly unknown[] | undefined =>
  constant === undefined ? values : [constant];

/** Whether everything that a client may send is accepted. Limits of length and pattern are content, not interface. */
function accepts(own: Schema, shape: string): boolean {
  const texts = textsOf(shape);
  if (texts) {
    const taken = ownValues(own);
    return own.type === "string" && (taken === undefined || texts.every((text) => taken.includes(text)));
  }
  if (shape === "integer") return own.type === "integer" || own.type === "number";
  if (shape === "number" || shape === "boolean") return own.type === shape;
  if (own.type !== "string" || ownValues(own) !== undefined) return false;
  return own.format !== "uuid" || shape === "uuid";
}

/** Whether every possible response is what a client expects. */
function yields(own: Schema, shape: string): boolean {
  const texts = textsOf(shape);
  if (texts) return ownValues(own)?.every((text) => texts.includes(String(text))) ?? false;
  if (shape === "number") return own.type === "number" || own.type === "integer";
  if (shape === "integer" && own.type === "number") return ownValues(own)?.every(Number.isInteger) ?? false;
  if (shape === "uuid") return own.format === "uuid";
  if (shape === "time") return own.format === "date-time";
  return own.type === shape;
}

/** The shape of these values in a query. */
function asTexts(query: Shape): Shape {
  const entries = Object.entries(query).map(([name, shape]) => [
    name,
    typeof shape === "string" && (shape.startsWith("=") || shape === "uuid") ? shape : "string",
  ]);
  return Object.fromEntries(entries);
}

/** Turns parameters that are written as numbers or as `true` and `false` into text, too. */
function asTextSchemas(schema: Schema): Schema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]): [string, Schema] => {
    const isFlag = property.enum?.every((value) => value === "true" || value === "false");
    return [name, isFlag || property.type !== "string" ? { type: "string" } : property];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}
