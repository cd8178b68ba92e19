import { globSync, readFileSync } from "node:fs";
import { parseSync } from "oxc-parser";
import * as z from "zod";
import { stageFields } from "#lib/stage.ts";
import { settingsSchema } from "#shared/registry/settings.ts";

/** What a key of a stage file takes, as JSON Schema says it. */
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

/** Write the tables of all keys of a stage file as Markdown: those of the stage, and those of its `settings`. */
export const settingsTables = (): string =>
  [
    "## Keys of the stage",
    tableOf(stageFields.omit({ settings: true }), "stageFields"),
    "## Settings",
    tableOf(settingsSchema, "settingsSchema"),
  ].join("\n\n");

function tableOf(schema: z.ZodType, name: string): string {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const remarks = remarksOf(name);
  const rows = keysOf(root as KeySchema, $defs as Record<string, KeySchema>)
    .filter(({ name, isGroup }) => !isGroup || remarks.has(name))
    .map((key) => [
      `\`${key.name}\``,
      describeDefault(key),
      key.isGroup ? "the keys below" : describeType(key.schema),
      remarks.get(key.name) ?? "",
    ]);
  return [
    "| key | default | takes | |",
    "| --- | --- | --- | --- |",
    ...rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`),
  ].join("\n");
}

interface Key {
  /** With dots in the place of nesting. */
  readonly name: string;
  readonly schema: KeySchema;
  /** Whether it only holds other keys. */
  readonly isGroup: boolean;
  readonly isRequired: boolean;
  /** The closest key around it that may be left out. */
  readonly within?: string | undefined;
}

/** All keys in the order of the schema, each before those in it. */
function keysOf(
  { properties = {}, required = [] }: KeySchema,
  shared: Readonly<Record<string, KeySchema>>,
  around?: Pick<Key, "name" | "within">,
): Key[] {
  return Object.entries(properties).flatMap(([name, property]): Key[] => {
    const target = property.$ref === undefined ? {} : shared[property.$ref.split("/").at(-1) ?? ""];
    const schema = { ...target, ...property };
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

function describeDefault({ schema, isGroup, isRequired, within }: Key): string {
  if (isRequired) return within === undefined ? "required" : `required in \`${within}\``;
  return isGroup || schema.default === undefined ? "" : `\`${JSON.stringify(schema.default)}\``;
}

const toObject = (value: unknown): object => (typeof value === "object" && value !== null ? value : {});

function describeType(schema: KeySchema): string {
  const { type = "", enum: values, const: value, anyOf, minimum, maximum, format, items } = schema;
  if (anyOf !== undefined) return anyOf.map(describeType).join(" or ");
  if (values !== undefined) return values.map((one) => `\`${one}\``).join(", ");
  if (value !== undefined) return `\`${value}\``;
  if (type === "array") return `list of ${describeType(items ?? {})}`;
  if (type === "object") return schema.propertyNames === undefined ? "object" : "object by name";
  if (type === "integer" || type === "number") return `${type}${describeRange(minimum, maximum)}`;
  return format === undefined || format === "starts_with" ? type || "any value" : format;
}

function describeRange(minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER): string {
  const isBounded = maximum < 2 ** 31 - 1;
  if (minimum > -(2 ** 31)) return isBounded ? `, ${minimum} to ${maximum}` : `, at least ${minimum}`;
  return isBounded ? `, at most ${maximum}` : "";
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
