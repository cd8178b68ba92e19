import { isDeepStrictEqual } from "node:util";
import type { JsonSchema } from "./openapi-components.ts";

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
