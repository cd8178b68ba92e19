import { isDeepStrictEqual } from "node:util";
import * as z from "zod";

export type JsonSchema = Record<string, unknown>;

/** A Response Object of OpenAPI. */
export interface Response {
  readonly description: string;
  readonly headers?: JsonSchema;
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

/** Formats to which zod's patterns add nothing. */
const plainFormats: readonly unknown[] = ["uuid", "date-time", "base64", "base64url"];

/** Schemas and responses that the document defines once and refers to. */
export class Components {
  readonly #schemas = new Map<string, JsonSchema>();
  readonly #responses = new Map<string, Response>();
  readonly #referred = { input: new Map<z.ZodType, JsonSchema>(), output: new Map<z.ZodType, JsonSchema>() };

  get schemas(): Record<string, JsonSchema> {
    return sorted(this.#schemas);
  }

  get responses(): Record<string, Response> {
    return sorted(this.#responses);
  }

  /** The schema, or a reference to it when it has an id. */
  refer(schema: z.ZodType, io: "input" | "output"): JsonSchema {
    const known = this.#referred[io].get(schema);
    if (known !== undefined) return known;
    const { id, ...root } = sayDefaults(this.#convert(schema, io)) as JsonSchema;
    if (typeof id === "string") this.#add(id, root);
    const referred = typeof id === "string" ? { $ref: `#/components/schemas/${id}` } : root;
    this.#referred[io].set(schema, referred);
    return referred;
  }

  inline(schema: z.ZodType, io: "input" | "output"): JsonSchema {
    const { id: _, ...root } = this.#convert(schema, io);
    return root;
  }

  /** A reference to a schema that is written here rather than in zod. */
  define(id: string, schema: JsonSchema): JsonSchema {
    this.#add(id, schema);
    return { $ref: `#/components/schemas/${id}` };
  }

  share(name: string, response: Response): JsonSchema {
    this.#responses.set(name, response);
    return { $ref: `#/components/responses/${name}` };
  }

  #add(id: string, schema: JsonSchema): void {
    const known = this.#schemas.get(id);
    if (known !== undefined && !isDeepStrictEqual(known, schema)) {
      throw new Error(
        `the schema id ${id} is taken, give this one another: ${JSON.stringify(known)} is not ${JSON.stringify(schema)}`,
      );
    }
    this.#schemas.set(id, schema);
  }

  #convert(schema: z.ZodType, io: "input" | "output"): JsonSchema {
    const converted = z.toJSONSchema(schema, {
      io,
      unrepresentable: "any",
      target: "draft-2020-12",
      override: ({ zodSchema, jsonSchema }) => {
        // zod omits the examples of a transformed value, but those of requests show what callers send.
        const examples = z.globalRegistry.get(zodSchema)?.examples;
        if (io === "input" && examples !== undefined) jsonSchema.examples = examples as unknown[];
        // Clients have to ignore fields that they do not know.
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
        if (plainFormats.includes(jsonSchema.format)) delete jsonSchema.pattern;
        // Something that only the document knows completely.
        const { shownAs } = z.globalRegistry.get(zodSchema) ?? {};
        if (typeof shownAs === "string") {
          for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
          jsonSchema.$ref = `#/components/schemas/${shownAs}`;
        }
        Object.assign(jsonSchema, suitingGenerators(jsonSchema));
        // A flag in a query, which is a word only on the wire. Generators of typed languages would treat the single
        // value of a constant as a text.
        if (jsonSchema.type === "boolean") {
          delete jsonSchema.enum;
          delete jsonSchema.const;
        }
      },
    });
    const {
      $schema: _,
      $defs = {},
      ...root
    } = JSON.parse(
      JSON.stringify(converted).replaceAll("#/$defs/", "#/components/schemas/"),
    ) as JsonSchema & { $defs?: Record<string, JsonSchema> };
    for (const [name, { id: _id, ...definition }] of Object.entries($defs))
      this.#add(name, sayDefaults(definition) as JsonSchema);
    return root;
  }
}

/** The largest integer that generators support by default. */
const maxInt32 = 2 ** 31 - 1;

/** For generators of typed languages: whole numbers are integers, with 64 bits unless they are known to be smaller. */
function suitingGenerators({
  type,
  enum: options,
  const: constant,
  format,
  maximum,
}: JsonSchema): JsonSchema {
  const values = Array.isArray(options) ? options : constant === undefined ? [] : [constant];
  if (type === "number" && values.length > 0 && values.every(Number.isInteger)) return { type: "integer" };
  if (type !== "integer" || format !== undefined || values.length > 0) return {};
  return typeof maximum === "number" && maximum <= maxInt32 ? {} : { format: "int64" };
}

/**
 * Describes the default of a field of a body in words, because generators make fields with `default` required.
 * Parameters keep theirs.
 */
function sayDefaults(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(sayDefaults);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => [
    key,
    literalKeywords.has(key) ? value : sayDefaults(value),
  ]);
  const { default: absent, ...said } = Object.fromEntries(entries);
  // A property may be called "default".
  if (absent === undefined || isSchema(absent)) return Object.fromEntries(entries);
  if (typeof absent === "object") return said;
  const { description, ...others } = said;
  const note = `\`${JSON.stringify(absent)}\` if absent`;
  return { ...others, description: description === undefined ? note : `${description}. ${note}` };
}

/** Keywords whose values are not schemas. */
const literalKeywords: ReadonlySet<string> = new Set(["default", "const", "enum", "examples"]);
const isSchema = (value: unknown) =>
  typeof value === "object" && value !== null && ("type" in value || "$ref" in value || "anyOf" in value);

const sorted = <Value>(map: ReadonlyMap<string, Value>): Record<string, Value> =>
  Object.fromEntries([...map].sort(([one], [other]) => one.localeCompare(other)));

/** Names of derived schemas in the API document. */

/** Name of the schema of errors: `NoConversationError` for `no-conversation`. */
export const errorNameOf = (label: string) => {
  const name = `${pascalCase(label).replace(/Error$/, "")}Error`;
  return namesOfRuntimes.has(name) ? `General${name}` : name;
};

/** Classes of the runtime that generators put into the package of the schemas (Kotlin). */
const namesOfRuntimes: ReadonlySet<string> = new Set(["ClientError", "ServerError"]);

/** Name of the schema of events: `ConversationMemberJoinEvent` for `conversation.member-join`. */
export const eventNameOf = (type: string) => `${pascalCase(type)}Event`;

const pascalCase = (text: string) =>
  text
    .split(/\W/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");

/**
 * One schema for an object that has several forms: it has the fields of all of them, and requires those that all require.
 * Texts about a field are those of the first form that has it.
 * @param forms at least one
 */
export function mergeForms(forms: readonly JsonSchema[]): JsonSchema {
  const [first = {}] = forms;
  if (forms.every((form) => isSame(form, first))) return first;
  if (!forms.every(hasFields))
    return {
      anyOf: forms.filter((form, index) => forms.findIndex((other) => isSame(other, form)) === index),
    };
  const names = new Set(forms.flatMap(({ properties }) => Object.keys(properties)));
  const properties = [...names].map((name) => {
    const schemas = forms.map(({ properties }) => properties[name]).filter((schema) => schema !== undefined);
    return [name, mergeForms(schemas)] as const;
  });
  return {
    ...first,
    properties: Object.fromEntries(properties),
    required: [...names].filter((name) => forms.every(({ required }) => required?.includes(name))),
  };
}

interface ObjectSchema extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

const hasFields = (schema: JsonSchema): schema is ObjectSchema =>
  schema.type === "object" && typeof schema.properties === "object";

const isSame = ({ description: _, ...one }: JsonSchema, { description, ...other }: JsonSchema): boolean =>
  isDeepStrictEqual(one, other);
