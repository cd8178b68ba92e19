import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { parseSync } from "oxc-parser";
import * as z from "zod";
import { stageFields } from "#lib/stage.ts";
import { settingsSchema } from "#shared/registry/settings.ts";

/** The values of a key in a stage file, in JSON Schema. */
interface KeySchema {
  readonly type?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly KeySchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
  readonly items?: KeySchema;
  readonly properties?: Readonly<Record<string, KeySchema>>;
  readonly propertyNames?: KeySchema;
  readonly additionalProperties?: boolean | KeySchema;
  readonly required?: readonly string[];
  readonly $ref?: string;
}

/** A node of a syntax tree (ESTree), as far as it is read here. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/** Write all keys of a stage file as Markdown: those of the stage, those of its `settings` by domain, and team features. */
export function settingsLists(): string {
  const keys = describedKeys(settingsSchema, "settingsSchema");
  const domainOf = domainsOfSettings();
  const byDomain = Map.groupBy(keys, ({ name }) => domainOf.get(name.split(".")[0] ?? "") ?? "");
  const features = byDomain.get("features") ?? [];
  byDomain.delete("features");
  return [
    "## Keys of the stage",
    listOf(describedKeys(stageFields.omit({ settings: true }), "stageFields")),
    "## Settings",
    ...[...byDomain].flatMap(([domain, ofDomain]) => [`### ${titleOf(domain)}`, listOf(ofDomain)]),
    "## Team features",
    "The defaults of `settings.FEATURE.defaults`:",
    tableOfFeatures(features),
    listOf(features.filter(({ name }) => !/\.defaults(\.|$)/.test(name))),
  ].join("\n\n");
}

interface DescribedKey extends Key {
  /** The first sentence of its remark; the others are for developers. */
  readonly remark: string | undefined;
}

function describedKeys(schema: z.ZodType, name: string): DescribedKey[] {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const remarks = remarksOf(name);
  return keysOf(root as KeySchema, $defs as Record<string, KeySchema>).map((key) => ({
    ...key,
    remark: /^.+?\.(?= |$)/.exec(remarks.get(key.name) ?? "")?.[0],
  }));
}

/** The domain of each setting: the name of the file that declares it. */
function domainsOfSettings(): Map<string, string> {
  return new Map(
    globSync("shared/registry/settings/*.ts").flatMap((file) => {
      const declared = [...constantsIn(file)].find(([constant]) => constant.endsWith("Settings"))?.[1].node;
      const properties = isNode(declared) ? ((declared.properties ?? []) as SyntaxNode[]) : [];
      return properties.map(({ key }): [string, string] => [
        String((key as SyntaxNode).name),
        basename(file, ".ts"),
      ]);
    }),
  );
}

const titleOf = (domain: string) =>
  domain === "oauth" ? "OAuth" : `${domain.slice(0, 1).toUpperCase()}${domain.slice(1).replaceAll("-", " ")}`;

/** A line for each key; a group whose keys need no remarks has one line for all of them. */
function listOf(keys: readonly DescribedKey[]): string {
  const within = (group: DescribedKey) => keys.filter(({ name }) => name.startsWith(`${group.name}.`));
  const folded = keys.filter(
    (key) =>
      key.isGroup &&
      within(key).length > 0 &&
      within(key).every(({ isGroup, remark }) => !isGroup && remark === undefined),
  );
  const isInFolded = ({ name }: Key) => folded.some((group) => name.startsWith(`${group.name}.`));
  return keys
    .filter((key) => !isInFolded(key) && (!key.isGroup || folded.includes(key) || key.remark !== undefined))
    .map((key) => {
      const values = folded.includes(key)
        ? within(key).map((part) => `\`${part.name.slice(key.name.length + 1)}\` ${describeValue(part)}`)
        : [describeValue(key)];
      const described = [values.filter(Boolean).join(", "), key.remark].filter(Boolean);
      return `- \`${key.name}\`: ${described.join(". ")}`;
    })
    .join("\n");
}

/** The default of a key, and its other values. */
function describeValue({ schema, isGroup, isRequired }: Key): string {
  const value = schema.default;
  if (isGroup) return "";
  if (isRequired) return `required ${describeType(schema)}`;
  if (value === undefined) return describeType(schema);
  const isObvious = typeof value === "object" ? value !== null : schema.type === typeof value;
  const others = schema.enum === undefined && isObvious ? "" : describeType(schema, value);
  return `\`${JSON.stringify(value)}\`${others === "" ? "" : `${others.startsWith("(") ? "" : " or"} ${others}`}`;
}

function tableOfFeatures(keys: readonly DescribedKey[]): string {
  const defaults = keys.filter(({ name }) => name.includes(".defaults."));
  const byFeature = Map.groupBy(defaults, ({ name }) => name.split(".")[0]);
  const value = (parts: readonly DescribedKey[], part: string) =>
    String(parts.find(({ name }) => name.endsWith(`.defaults.${part}`))?.schema.default ?? "");
  const config = (parts: readonly DescribedKey[]) => {
    const fields = parts.find(({ name }) => name.endsWith(".defaults.config"))?.schema;
    const values = Object.entries(toObject(fields?.default)).map(([field, one]) => [
      field,
      ` ${JSON.stringify(one)}`,
    ]);
    const others = Object.keys(fields?.properties ?? {}).map((field) => [field, ""]);
    return (values.length > 0 ? values : others)
      .map(([field, one]) => `\`${field}${one === "" ? "" : `:${one}`}\``)
      .join(", ");
  };
  return [
    "| feature | status | lock | config |",
    "| --- | --- | --- | --- |",
    ...[...byFeature].map(
      ([feature, parts]) =>
        `| \`${feature}\` | ${value(parts, "status")} | ${value(parts, "lockStatus")} | ${config(parts)} |`,
    ),
  ].join("\n");
}

interface Key {
  /** Name with dots for nesting. */
  readonly name: string;
  readonly schema: KeySchema;
  /** Whether the key only contains other keys. */
  readonly isGroup: boolean;
  readonly isRequired: boolean;
  /** The closest key around it that may be left out. */
  readonly within?: string | undefined;
}

/** All keys in the order of the schema, each before the keys within it. */
function keysOf(
  { properties = {}, required = [] }: KeySchema,
  shared: Readonly<Record<string, KeySchema>>,
  around?: Pick<Key, "name" | "within">,
): Key[] {
  return Object.entries(properties).flatMap(([name, property]): Key[] => {
    const target = property.$ref === undefined ? {} : shared[property.$ref.split("/").at(-1) ?? ""];
    const object = property.anyOf?.find((one) => one.properties !== undefined);
    const schema = { ...target, ...object, ...property };
    const isGroup = schema.properties !== undefined && Object.keys(toObject(schema.default)).length === 0;
    const isRequired = required.includes(name) && schema.default === undefined;
    const key = {
      ...{ name: around === undefined ? name : `${around.name}.${name}`, schema, isGroup, isRequired },
      within: around?.within,
    };
    if (!isGroup) return [key];
    const isOptional = !isRequired && schema.default === undefined;
    return [key, ...keysOf(schema, shared, { name: key.name, within: isOptional ? key.name : key.within })];
  });
}

const toObject = (value: unknown): object => (typeof value === "object" && value !== null ? value : {});

/** Most values that are listed; of more, only the first and the last. */
const listedValues = 9;

/** The values of a key besides its default. */
function describeType(schema: KeySchema, besides?: unknown): string {
  const { type = "", enum: values, anyOf, minimum, maximum, format, items } = schema;
  if (anyOf !== undefined)
    return anyOf
      .filter((one) => one.type !== "null" || besides !== null)
      .map((one) => describeType(one))
      .join(" or ");
  if (values !== undefined) {
    const shown = values.filter((one) => one !== besides).map((one) => `\`${one}\``);
    return shown.length > listedValues ? `${shown[0]} … ${shown.at(-1)}` : shown.join(", ");
  }
  if (type === "array") return `list of ${describeType(items ?? {})}`;
  if (type === "integer" || type === "number") return describeRange(minimum, maximum);
  return format === undefined || format === "starts_with" ? type || "any value" : format;
}

function describeRange(minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER): string {
  const isBounded = maximum < 2 ** 31 - 1;
  if (minimum > -(2 ** 31)) return isBounded ? `(${minimum}–${maximum})` : `(≥${minimum})`;
  return isBounded ? `(≤${maximum})` : "(integer)";
}

/** Comments above the keys of a schema, by the path of the key. */
function remarksOf(name: string): Map<string, string> {
  const remarks = new Map<string, string>();
  const sources = [
    "lib/stage.ts",
    "shared/registry/settings.ts",
    ...globSync("shared/registry/settings/*.ts"),
  ];
  const constants = new Map(sources.flatMap(constantsIn));

  function read(node: unknown, path: string, inside: Constant): void {
    if (Array.isArray(node)) for (const one of node) read(one, path, inside);
    if (!isNode(node)) return;
    const { type, callee, object, arguments: passed, properties, argument } = node;
    if (type === "Identifier") {
      const constant = constants.get(String(node.name));
      if (constant !== undefined && constant.node !== inside.node) read(constant.node, path, constant);
    }
    if (type === "CallExpression") read([callee, passed], path, inside);
    if (type === "MemberExpression") read(object, path, inside);
    if (type === "SpreadElement") read(argument, path, inside);
    if (type === "ObjectExpression") for (const one of properties as SyntaxNode[]) readKey(one, path, inside);
  }

  function readKey(property: SyntaxNode, path: string, inside: Constant): void {
    if (property.type !== "Property") {
      read(property, path, inside);
      return;
    }
    const key = `${path}${(property.key as SyntaxNode).name}`;
    const remark = inside.remarkBefore(property.start);
    if (remark !== undefined && !remarks.has(key)) remarks.set(key, remark);
    read(property.value, `${key}.`, inside);
  }

  const root = constants.get(name);
  if (root === undefined) throw new Error(`There is no constant ${name}`);
  read(root.node, "", root);
  return remarks;
}

/** A constant of a source: its value, and the comments of its file. */
interface Constant {
  readonly node: unknown;
  remarkBefore(position: number): string | undefined;
}

function constantsIn(file: string): [string, Constant][] {
  const text = readFileSync(file, "utf8");
  const { program, comments } = parseSync(file, text);
  const remarkBefore = (position: number) => {
    const comment = comments.findLast(({ end }) => end <= position);
    if (comment?.type !== "Block" || text.slice(comment.end, position).trim() !== "") return undefined;
    return comment.value
      .replaceAll(/^[ \t]*\*+ ?/gm, "")
      .replaceAll(/\s+/g, " ")
      .trim();
  };
  return (program.body as unknown as SyntaxNode[]).flatMap((statement) => {
    const { declarations } = (statement.declaration ?? statement) as { declarations?: SyntaxNode[] };
    return (declarations ?? []).map(({ id, init }): [string, Constant] => [
      String((id as SyntaxNode).name),
      { node: init, remarkBefore },
    ]);
  });
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && "type" in value;
