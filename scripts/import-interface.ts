// Writes test/contract/published-interface.json from the OpenAPI documents of published API versions:
//   node scripts/node24.mjs scripts/import-interface.ts DOCUMENT…
// Keeps what clients depend on, with one entry for all versions in which an operation is the same. The vendor's name,
// which is a setting here, becomes "svc"; headers and authentication schemes, which bear that name, are left out.
import { readFileSync, writeFileSync } from "node:fs";
import { interfaceFile, type PublishedOperation, type Shape } from "../test/contract/published-interface.ts";

interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
}

type Content = Record<string, { schema?: Schema }>;

interface Operation {
  operationId: string;
  parameters?: { in: string; name: string; required?: boolean; schema?: Schema }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}

interface Document {
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** Longer lists of values (currencies, tags) are content, not interface. */
const longestEnum = 40;
const form = "application/x-www-form-urlencoded";
const isJson = (contentType: string) => contentType.startsWith("application/json");

function importDocument(file: string): PublishedOperation[] {
  const document: Document = JSON.parse(readFileSync(file, "utf8"));
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toPublished(document, path, method, operation)),
  );
  const [vendor] = document.components.schemas.ManagedBy?.enum ?? [];
  if (typeof vendor !== "string") throw new Error(`${file}: schema ManagedBy does not name the vendor`);
  return JSON.parse(neutralize(JSON.stringify(operations), vendor));
}

function toPublished(
  { info, components }: Document,
  path: string,
  method: string,
  { operationId, parameters = [], requestBody, responses }: Operation,
): PublishedOperation {
  const query = parameters.filter((parameter) => parameter.in === "query");
  const content = requestBody?.content ?? {};
  const bodyTypes = Object.keys(content).filter((type) => !isJson(type));
  const body = Object.entries(content).find(([type]) => isJson(type) || type === form)?.[1].schema;
  const answers = Object.entries(responses).map(([status, answer]) => {
    const [[type, { schema = {} }] = [undefined, {}]] = Object.entries(answer.content ?? {});
    const labels = schema.properties?.label?.enum as string[] | undefined;
    const shape = type === undefined ? null : isJson(type) ? shapeOf(schema, components.schemas) : bare(type);
    return { status, labels, shape };
  });
  return {
    id: operationId.replace(/@v\d+$/, ""),
    versions: [Number(info.version)],
    method: method.toUpperCase(),
    path,
    ...(query.length > 0 && {
      query: Object.fromEntries(
        query.map(({ name, required, schema = {} }) => [
          required ? name : `${name}?`,
          shapeOf(schema, components.schemas),
        ]),
      ),
    }),
    ...(body && { body: shapeOf(body, components.schemas) }),
    ...(bodyTypes.length > 0 && { bodyTypes }),
    responses: Object.fromEntries(
      answers.filter(({ labels }) => !labels).map(({ status, shape }) => [status, shape]),
    ),
    errors: Object.fromEntries(
      answers.flatMap(({ status, labels }) => (labels ? [[status, labels.toSorted()]] : [])),
    ),
  };
}

function shapeOf(schema: Schema, schemas: Record<string, Schema>): Shape {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
    const target = schemas[name];
    if (target === undefined) throw new Error(`Schema ${name} is missing`);
    return shapeOf(target, schemas);
  }
  const { properties, additionalProperties, items, type, format } = schema;
  if (type === "array") return [items ? shapeOf(items, schemas) : "any"];
  if (properties) {
    const required = new Set(schema.required);
    const fields = Object.entries(properties).map(([name, property]) => [
      required.has(name) ? name : `${name}?`,
      shapeOf(property, schemas),
    ]);
    return { ...Object.fromEntries(fields), ...(additionalProperties && { "*": "any" }) };
  }
  if (type === "object") {
    const isMap = typeof additionalProperties === "object";
    return { "*": isMap ? shapeOf(additionalProperties, schemas) : "any" };
  }
  if (type !== "string") return type ?? "any";
  if (schema.enum && schema.enum.length <= longestEnum) return `=${schema.enum.join("|")}`;
  if (format === "uuid") return "uuid";
  return format?.startsWith("yyyy-mm-dd") ? "time" : "string";
}

const bare = (contentType: string) => contentType.replace(/;.*$/, "");

/** Replaces the vendor's name where it stands alone or begins a part of a compound name, but not inside other words. */
function neutralize(text: string, vendor: string): string {
  const capitalized = vendor.slice(0, 1).toUpperCase() + vendor.slice(1);
  return text
    .replaceAll(new RegExp(`(?<![A-Za-z])${vendor}(?![a-z])`, "g"), "svc")
    .replaceAll(new RegExp(`${capitalized}(?![a-z])`, "g"), "Svc");
}

/** One entry for all versions in which an operation is the same. */
function mergeVersions(operations: readonly PublishedOperation[]): PublishedOperation[] {
  const byContent = Map.groupBy(operations, (operation) => JSON.stringify({ ...operation, versions: [] }));
  return [...byContent.values()].map((same) => ({
    ...(same[0] as PublishedOperation),
    versions: same.flatMap(({ versions }) => versions).toSorted((one, other) => one - other),
  }));
}

const sortKeyOf = ({ path, method, versions }: PublishedOperation) => `${path} ${method} ${versions}`;

const documents = process.argv.slice(2);
if (documents.length === 0) {
  console.error("usage: import-interface.ts DOCUMENT…");
  process.exitCode = 1;
} else {
  const operations = mergeVersions(documents.flatMap(importDocument)).toSorted((one, other) =>
    sortKeyOf(one) < sortKeyOf(other) ? -1 : 1,
  );
  const lines = operations.map((operation) => JSON.stringify(operation)).join(",\n");
  writeFileSync(interfaceFile, `[\n${lines}\n]\n`);
  console.log(`${operations.length} operations`);
}
