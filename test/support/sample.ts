import * as z from "zod";
import type { Route } from "#shared/platform/http/route.ts";

interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly format?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

/** The smallest value that fits a schema, without optional fields; refinements are ignored. */
export function sampleOf(schema: z.ZodType): unknown {
  const { $defs = {}, ...root } = jsonSchemaOf(schema);
  return sample(root, $defs);
}

const jsonSchemas = new WeakMap<z.ZodType, JsonSchema>();

/** Cached: the same schema is sampled hundreds of times. */
function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const known = jsonSchemas.get(schema);
  if (known !== undefined) return known;
  const jsonSchema = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
  jsonSchemas.set(schema, jsonSchema);
  return jsonSchema;
}

function sample(schema: JsonSchema, definitions: Readonly<Record<string, JsonSchema>>): unknown {
  const {
    $ref,
    oneOf = [],
    anyOf = oneOf,
    enum: choices,
    examples,
    format,
    minLength = 1,
    minimum = 0,
    items = {},
    minItems = 0,
  } = schema;
  const definition = $ref && definitions[$ref.replace("#/$defs/", "")];
  if (definition) return sample(definition, definitions);
  if (schema.const !== undefined) return schema.const;
  // Examples of objects may have optional fields.
  if (examples && schema.type !== "object") return examples[0];
  if (choices) return choices.at(-1);
  if (anyOf[0]) return sample(anyOf[0], definitions);
  switch (schema.type) {
    case "string":
      return format === "uuid" ? "00000000-0000-4000-8000-000000000000" : "x".repeat(minLength);
    case "integer":
    case "number":
      return Math.max(minimum, 0);
    case "boolean":
      return false;
    case "array":
      return Array.from({ length: minItems }, () => sample(items, definitions));
    case "object": {
      const { properties = {}, required = [] } = schema;
      return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? {}, definitions)]));
    }
    default:
      return null;
  }
}

/** Path of an operation with the smallest valid parameters. */
export function samplePath({ path, params }: Route): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const schema = params?.shape[name];
    return schema === undefined ? "x" : String(sampleOf(schema as z.ZodType));
  });
}

/** Query of an operation with only the required parameters. */
export function sampleQuery({ query }: Route): string {
  const required = Object.entries(query?.shape ?? {}).flatMap(([name, schema]) =>
    schema.safeParse(undefined).success
      ? []
      : `${name}=${encodeURIComponent(String(sampleOf(schema as z.ZodType)))}`,
  );
  return required.length === 0 ? "" : `?${required.join("&")}`;
}
