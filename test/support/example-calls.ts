import type { OpenApiDocument } from "#shared/platform/http/openapi.ts";

/** The parts of a schema by which an example is found. */
interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** A statement for each operation that takes JSON, which sends the example in the document through openapi-fetch. */
export function callsIn({ paths, components }: OpenApiDocument): string[] {
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined
      ? schema
      : { ...resolve(components.schemas[schema.$ref.replace(/.*\//, "")] as Schema), ...withoutRef(schema) };

  const exampleOf = (schema: Schema): unknown => {
    const { examples, anyOf } = resolve(schema);
    return examples?.[0] ?? (anyOf?.[0] && exampleOf(anyOf[0]));
  };

  function sampleOf(schema: Schema): unknown {
    const { examples, enum: values, const: constant, type, anyOf } = resolve(schema);
    const known = examples?.[0] ?? constant ?? values?.[0];
    if (known !== undefined) return known;
    if (anyOf?.[0]) return sampleOf(anyOf[0]);
    return type === "integer" || type === "number" ? 1 : type === "boolean" ? true : "text";
  }

  function callOf(path: string, method: string, { parameters = [], requestBody }: Operation): string[] {
    const schema = requestBody?.content["application/json"]?.schema;
    if (schema === undefined) return [];
    const required = Map.groupBy(
      parameters.filter((parameter) => parameter.required),
      (parameter) => parameter.in,
    );
    const params = Object.fromEntries(
      [...required].map(([place, those]) => [
        place,
        Object.fromEntries(those.map(({ name, schema }) => [name, sampleOf(schema)])),
      ]),
    );
    const input = { ...(required.size > 0 && { params }), body: exampleOf(schema) };
    return [`client.${method.toUpperCase()}(${JSON.stringify(path)}, ${JSON.stringify(input)});`];
  }

  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => callOf(path, method, operation as Operation)),
  );
}

const withoutRef = ({ $ref: _, ...others }: Schema): Schema => others;
