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

/** The values of optional fields in a sample: none, null, or null only for those without fields of their own. */
type OptionalFields = "none" | "null" | "null in the leaves";

/** The smallest value that fits a schema, without optional fields unless wanted; refinements are ignored. */
export function sampleOf(schema: z.ZodType, optional: OptionalFields = "none"): unknown {
  const { $defs = {}, ...root } = jsonSchemaOf(schema);
  return sample(root, { definitions: $defs, optional });
}

/** The smallest value that fits a part of a JSON Schema with the definitions. */
export const sampleOfPart = (part: JsonSchema, definitions: Readonly<Record<string, JsonSchema>>): unknown =>
  sample(part, { definitions, optional: "none" });

const jsonSchemas = new WeakMap<z.ZodType, JsonSchema>();

/** Cached: the same schema is sampled hundreds of times. */
function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const known = jsonSchemas.get(schema);
  if (known !== undefined) return known;
  const jsonSchema = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
  jsonSchemas.set(schema, jsonSchema);
  return jsonSchema;
}

interface SampleOptions {
  readonly definitions: Readonly<Record<string, JsonSchema>>;
  readonly optional: OptionalFields;
}

function sample(schema: JsonSchema, options: SampleOptions): unknown {
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
    minItems = holdsFields(items, options) ? 1 : 0,
  } = schema;
  const definition = definitionOf($ref, options);
  if (definition) return sample(definition, options);
  if (schema.const !== undefined) return schema.const;
  // Examples of objects may have optional fields.
  if (examples && schema.type !== "object") return examples[0];
  if (choices) return choices.at(-1);
  if (anyOf[0]) return sample(anyOf[0], options);
  switch (schema.type) {
    case "string":
      return format === "uuid" ? "00000000-0000-4000-8000-000000000000" : "x".repeat(minLength);
    case "integer":
    case "number":
      return Math.max(minimum, 0);
    case "boolean":
      return false;
    case "array":
      return Array.from({ length: minItems }, () => sample(items, options));
    case "object": {
      const { properties = {}, required = [] } = schema;
      const fields = Object.entries(properties).flatMap(([name, property]) => {
        if (required.includes(name) || holdsFields(property, options))
          return [[name, sample(property, options)]];
        return options.optional === "none" ? [] : [[name, null]];
      });
      return Object.fromEntries(fields);
    }
    default:
      return null;
  }
}

const definitionOf = ($ref: string | undefined, { definitions }: SampleOptions) =>
  $ref === undefined ? undefined : definitions[$ref.replace("#/$defs/", "")];

/** Whether an optional field, or an item of a list, must be there because of the fields that it holds. */
function holdsFields(
  { $ref, oneOf = [], anyOf = oneOf, ...schema }: JsonSchema,
  options: SampleOptions,
): boolean {
  if (options.optional !== "null in the leaves") return false;
  const inner = definitionOf($ref, options) ?? anyOf[0] ?? schema.items;
  return schema.properties !== undefined || (inner !== undefined && holdsFields(inner, options));
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
