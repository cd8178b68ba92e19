import type { Argument, Command, Option } from "../command.ts";
import type { Operation } from "../operations.ts";

/** A field of a form. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  /** `lines`: a value on each line. */
  readonly input: "text" | "integer" | "choice" | "flag" | "lines" | "json";
  readonly isRequired: boolean;
  readonly choices?: readonly string[];
  readonly initial?: string;
}

/** Entered values by the names of fields. */
export type Entered = ReadonlyMap<string, string>;

/** A task that can be done with a form: a command, or an operation of the internal API through the command `call`. */
export interface Task {
  /** Relative to the folder of all pages. */
  readonly href: string;
  readonly title: string;
  readonly summary: string;
  /** Method and path, for an operation. */
  readonly request?: string;
  readonly command: Command;
  readonly effect: Command["effect"];
  readonly fields: readonly FormField[];
  /** The first field of a command, which names its subject, such as `user`. */
  readonly subject?: string;
  /** The words after the name of the command. */
  wordsOf(entered: Entered): string[];
}

export function commandTask(command: Command): Task {
  const [subject] = Object.keys(command.arguments);
  return {
    href: `command?${new URLSearchParams({ name: command.name })}`,
    title: command.name,
    summary: command.summary,
    command,
    effect: command.effect,
    fields: [
      ...Object.entries(command.arguments).map(([name, one]) => fieldOf(name, one, one.isOptional !== true)),
      ...Object.entries(command.options).map(([name, one]) => fieldOf(name, one, one.isRequired === true)),
    ],
    ...(subject !== undefined && { subject }),
    wordsOf: (entered) => [
      ...Object.entries(command.options).flatMap(([name, option]) => optionWords(name, option, entered)),
      ...asPositionals(
        Object.entries(command.arguments).flatMap(([name, { isRepeated }]) => {
          const text = entered.get(name) ?? "";
          return isRepeated ? linesOf(text) : text === "" ? [] : [text];
        }),
      ),
    ],
  };
}

function fieldOf(name: string, field: Argument | Option, isRequired: boolean): FormField {
  const { kind, description, choices, isRepeated } = field;
  const initial = "default" in field ? field.default : undefined;
  const plain = kind === "integer" || kind === "flag" || kind === "json" ? kind : "text";
  return {
    name,
    label: name,
    description,
    input: isRepeated ? "lines" : choices === undefined ? plain : "choice",
    isRequired: isRequired && initial === undefined,
    ...(choices !== undefined && { choices }),
    ...(initial !== undefined && { initial }),
  };
}

function optionWords(name: string, { kind, isRepeated }: Option, entered: Entered): string[] {
  const text = entered.get(name) ?? "";
  if (kind === "flag") return text === "" ? [] : [`--${name}`];
  const values = isRepeated ? linesOf(text) : text === "" ? [] : [text];
  return values.flatMap((value) => (value.startsWith("-") ? [`--${name}=${value}`] : [`--${name}`, value]));
}

/** Words that begin with a dash would be taken for options. */
const asPositionals = (words: readonly string[]) =>
  words.some((word) => word.startsWith("-")) ? ["--", ...words] : [...words];

const linesOf = (text: string) => text.split(/\r?\n/).filter((line) => line !== "");

export function operationTask(operation: Operation, call: Command): Task {
  const { operationId, method, path, summary, parameters, body } = operation;
  const required = (body?.required ?? []) as readonly string[];
  const properties = Object.entries((body?.properties ?? {}) as Record<string, Schema>);
  const names = [...parameters.map(({ name }) => name), ...properties.map(([name]) => name)];
  const isWhole = body !== undefined && body.properties === undefined;
  return {
    href: `operation?${new URLSearchParams({ id: operationId })}`,
    title: operationId,
    summary,
    request: `${method} ${path}`,
    command: call,
    effect: method === "GET" || method === "HEAD" ? "reads" : "changes",
    fields: [
      ...parameters.map(({ name, schema, required: isRequired }) => schemaField(name, schema, isRequired)),
      ...properties.map(([name, schema]) => schemaField(name, schema, required.includes(name))),
      ...(isWhole ? [schemaField("body", { ...body, type: "object" }, true)] : []),
    ],
    wordsOf: (entered) => [
      ...(isWhole && entered.has("body") ? ["--body", entered.get("body") ?? ""] : []),
      operationId,
      ...names.flatMap((name) => {
        const text = entered.get(name) ?? "";
        return text === "" ? [] : [`${name}=${text}`];
      }),
    ],
  };
}

type Schema = Readonly<Record<string, unknown>>;

function schemaField(name: string, schema: Schema, isRequired: boolean): FormField {
  const { type, description = "" } = schema;
  const choices =
    type === "boolean" ? ["true", "false"] : (schema.enum as readonly unknown[] | undefined)?.map(String);
  const isText = type === "string" || schema.enum !== undefined;
  return {
    name,
    label: name,
    description: String(description),
    input: choices !== undefined ? "choice" : type === "integer" ? "integer" : isText ? "text" : "json",
    isRequired,
    ...(choices !== undefined && { choices }),
  };
}
