import * as z from "zod";
import { CommandError } from "./command-error.ts";
import type { ApiRequest } from "./internal-api.ts";

type Schema = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  /** A schema, resolved if it is a reference. */
  readonly schema: Schema;
}

/** An operation of an API document. */
export interface Operation {
  readonly operationId: string;
  readonly method: string;
  /** With the names of its parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  /** Schema of the body; undefined if there is none. */
  readonly body: Schema | undefined;
}

const methods = ["get", "head", "post", "put", "patch", "delete"] as const;

interface Documented {
  readonly operationId: string;
  readonly summary?: string;
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: Schema }[];
  readonly requestBody?: { content: Record<string, { schema: Schema }> };
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The operations of an API document. */
export function readOperations({ paths, components }: ApiDocument): Operation[] {
  function resolved(schema: Schema): Schema {
    const { $ref, ...others } = schema;
    if (typeof $ref !== "string") return schema;
    return { ...resolved(components.schemas[$ref.replace(/^.*\//, "")] ?? {}), ...others };
  }
  const withProperties = (schema: Schema): Schema => ({
    ...schema,
    ...(schema.properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(schema.properties as Record<string, Schema>).map(([name, one]) => [
          name,
          resolved(one),
        ]),
      ),
    }),
  });
  return Object.entries(paths).flatMap(([path, operations]) =>
    methods.flatMap((method): Operation[] => {
      const operation = operations[method];
      if (operation === undefined) return [];
      const { operationId, summary = "", parameters = [], requestBody } = operation;
      const schema = requestBody?.content["application/json"]?.schema;
      return [
        {
          operationId,
          method: method.toUpperCase(),
          path,
          summary,
          parameters: parameters.map((one) => ({
            name: one.name,
            in: one.in as Parameter["in"],
            required: one.required ?? false,
            schema: resolved(one.schema),
          })),
          body: schema && withProperties(resolved(schema)),
        },
      ];
    }),
  );
}

/**
 * The request that an operator describes by `key=value`: for parameters of the operation, and fields of its body.
 * @param bodyText the whole body as JSON, instead of its fields
 * @throws CommandError naming the missing, unknown or malformed key
 */
export function toRequest(
  operation: Operation,
  pairs: readonly string[],
  bodyText?: string,
): ApiRequest & { path: string } {
  const given = toEntries(pairs);
  const values = {
    path: new Map<string, string>(),
    query: new Map<string, string>(),
    header: new Map<string, string>(),
  };
  for (const parameter of operation.parameters) {
    const value = given.get(parameter.name);
    given.delete(parameter.name);
    if (value !== undefined) values[parameter.in].set(parameter.name, checked(parameter, value));
    else if (parameter.required)
      throw new CommandError(`${parameter.name}=… is missing: ${usageOf(operation)}`);
  }
  const json = bodyText === undefined ? bodyOf(operation, given) : wholeBody(operation, given, bodyText);
  return {
    path: operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values.path.get(name) ?? "")),
    query: Object.fromEntries(values.query),
    headers: Object.fromEntries(values.header),
    ...(json !== undefined && { json }),
  };
}

function toEntries(pairs: readonly string[]): Map<string, string> {
  const entries = new Map<string, string>();
  for (const pair of pairs) {
    const end = pair.indexOf("=");
    const key = pair.slice(0, end);
    if (end < 1) throw new CommandError(`${pair} is not KEY=VALUE`);
    if (entries.has(key)) throw new CommandError(`${key} is given twice`);
    entries.set(key, pair.slice(end + 1));
  }
  return entries;
}

function checked({ name, schema, in: place }: Parameter, value: string): string {
  // An empty segment would lead to another path, and dots to a folder above.
  if (place === "path" && /^\.{0,2}$/.test(value)) throw new CommandError(`${name}: not a value: ${value}`);
  const isNumber = schema.type === "integer" || schema.type === "number";
  const { success, error } = z
    .fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])
    .safeParse(isNumber ? Number(value) : value);
  if (!success) throw new CommandError(`${name}: ${error.issues.map(({ message }) => message).join("; ")}`);
  return value;
}

function bodyOf(operation: Operation, given: ReadonlyMap<string, string>): object | undefined {
  const { body } = operation;
  const properties = (body?.properties ?? {}) as Record<string, Schema>;
  const unknown = [...given.keys()].filter((name) => !Object.hasOwn(properties, name));
  if (unknown.length > 0)
    throw new CommandError(`${operation.operationId} has no ${unknown.join(", ")}: ${usageOf(operation)}`);
  if (body === undefined) return undefined;
  if (body.properties === undefined)
    throw new CommandError("The body of this operation is given by --body JSON");
  const missing = ((body.required ?? []) as string[]).filter((name) => !given.has(name));
  if (missing.length > 0)
    throw new CommandError(
      `${missing.map((name) => `${name}=…`).join(", ")} is missing: ${usageOf(operation)}`,
    );
  return Object.fromEntries(
    [...given].map(([name, text]) => [
      name,
      properties[name]?.type === "string" ? text : parseJson(text, `${name} must be JSON`),
    ]),
  );
}

function wholeBody(
  { body, operationId }: Operation,
  rest: ReadonlyMap<string, string>,
  text: string,
): unknown {
  if (body === undefined) throw new CommandError(`${operationId} has no body`);
  if (rest.size > 0) throw new CommandError(`With --body, ${[...rest.keys()].join(", ")} is unknown`);
  return parseJson(text, "--body must be JSON");
}

function parseJson(text: string, complaint: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(`${complaint}: ${text}`);
  }
}

function usageOf({ operationId, parameters, body }: Operation): string {
  const required = (body?.required ?? []) as string[];
  const fields = Object.keys((body?.properties ?? {}) as object);
  const words = [
    ...parameters.map(({ name, required: isRequired }) => wordOf(name, isRequired)),
    ...(body !== undefined && body.properties === undefined ? ["--body JSON"] : []),
    ...fields.map((name) => wordOf(name, required.includes(name))),
  ];
  return ["call", operationId, ...words].join(" ");
}

const wordOf = (name: string, isRequired: boolean) => (isRequired ? `${name}=…` : `[${name}=…]`);
