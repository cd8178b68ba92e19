import * as z from "zod";
import type { Route } from "#shared/http/route.ts";

interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly format?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

/** The smallest value that fits a schema's shape, without what is optional; refinements are not considered. */
export function sampleOf(schema: z.ZodType): unknown {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  }) as JsonSchema;
  return sample(root, $defs);
}

function sample(schema: JsonSchema, definitions: Readonly<Record<string, JsonSchema>>): unknown {
  const {
    $ref,
    anyOf,
    enum: choices,
    examples,
    format,
    minLength = 1,
    minimum = 0,
    items = {},
    minItems = 0,
  } = schema;
  const referred = $ref && definitions[$ref.replace("#/$defs/", "")];
  if (referred) return sample(referred, definitions);
  if (schema.const !== undefined) return schema.const;
  if (examples) return examples[0];
  if (choices) return choices.at(-1);
  if (anyOf?.[0]) return sample(anyOf[0], definitions);
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

/** Path of an operation with the least that its parameters take. */
export function samplePath({ path, params }: Route): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const schema = params?.shape[name];
    return schema === undefined ? "x" : String(sampleOf(schema as z.ZodType));
  });
}

/** What an operation needs in its query. */
export function sampleQuery({ query }: Route): string {
  const needed = Object.entries(query?.shape ?? {}).flatMap(([name, schema]) =>
    schema.safeParse(undefined).success
      ? []
      : `${name}=${encodeURIComponent(String(sampleOf(schema as z.ZodType)))}`,
  );
  return needed.length === 0 ? "" : `?${needed.join("&")}`;
}
