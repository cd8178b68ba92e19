import { type ParseArgsConfig, parseArgs } from "node:util";
import type { Argument, Command, Option } from "./command.ts";
import { CommandError } from "./command-error.ts";

/** The options of every command. */
export const commonOptions = {
  stage: {
    kind: "text",
    placeholder: "NAME",
    description: "the deployed stage, reached with your AWS credentials; without it, npm start",
  },
  url: { kind: "url", description: "an address of this machine other than that of npm start" },
  json: { kind: "flag", description: "print the result as JSON" },
  "dry-run": { kind: "flag", description: "print what would be sent, and change nothing" },
  yes: { kind: "text", placeholder: "NAME", description: "the name that confirms what cannot be undone" },
  help: { kind: "flag", description: "explain the command" },
} as const satisfies Record<string, Option>;

/** Values of the common options. */
export interface Common {
  readonly stage?: string;
  readonly url?: string;
  readonly json?: boolean;
  readonly "dry-run"?: boolean;
  readonly yes?: string;
  readonly help?: boolean;
}

type Values = Parameters<Command["run"]>[1];
type Field = Argument | Option;

/**
 * Read the words after the name of a command.
 * @returns the values for `run`, absent if the operator asks for help, and those of the common options
 * @throws CommandError naming the missing, unknown or malformed word
 */
export function readCommandLine(
  command: Command,
  words: readonly string[],
): { readonly values?: Values; readonly common: Common } {
  const complaint = (problem: string) => new CommandError(`${problem}\n${usageOf(command)}`);
  const { values: given, positionals } = parsed(command, words, complaint);
  const common = Object.fromEntries(
    Object.entries(given).filter(([name]) => Object.hasOwn(commonOptions, name)),
  ) as Common;
  if (common.help) return { common };

  function single(name: string, field: Field, text: string): string | number {
    if (text === "") throw complaint(`${name} is empty`);
    if (field.choices !== undefined && !field.choices.includes(text))
      throw complaint(`${name} is one of ${field.choices.join(", ")}`);
    if (field.kind !== "integer") return text;
    const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = field;
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < minimum || number > maximum)
      throw complaint(`${name} is a number from ${minimum} to ${maximum}`);
    return number;
  }

  const rest = [...positionals];
  const values: Record<string, Values[string]> = {};
  for (const [name, argument] of Object.entries(command.arguments)) {
    const word = wordOf(name);
    if (rest.length === 0 && argument.isOptional === undefined) throw complaint(`${word} is missing`);
    if (argument.isRepeated) values[name] = rest.splice(0).map((text) => single(word, argument, text));
    else {
      const text = rest.shift();
      values[name] = text === undefined ? undefined : single(word, argument, text);
    }
  }
  if (rest.length > 0) throw complaint(`Not expected: ${rest.join(" ")}`);
  for (const [name, option] of Object.entries(command.options)) {
    const value = given[name] ?? option.default;
    if (option.kind === "flag") values[name] = value === true;
    else if (option.isRepeated)
      values[name] = ((value ?? []) as string[]).map((text) => single(`--${name}`, option, text));
    else if (value !== undefined) values[name] = single(`--${name}`, option, value as string);
    else if (option.isRequired) throw complaint(`--${name} is missing`);
  }
  return { values, common };
}

function parsed(command: Command, words: readonly string[], complaint: (problem: string) => CommandError) {
  const options: NonNullable<ParseArgsConfig["options"]> = {};
  for (const [name, { kind, isRepeated = false }] of Object.entries<Option>({
    ...command.options,
    ...commonOptions,
  }))
    options[name] = { type: kind === "flag" ? "boolean" : "string", multiple: isRepeated };
  try {
    return parseArgs({ args: [...words], allowPositionals: true, options });
  } catch (error) {
    throw complaint((error as Error).message);
  }
}

const wordOf = (name: string) => name.toUpperCase();

const placeholders: Partial<Record<Option["kind"], string>> = { integer: "N", json: "JSON", file: "FILE" };

function optionWord(name: string, { kind, choices, placeholder }: Option): string {
  if (kind === "flag") return `--${name}`;
  return `--${name} ${placeholder ?? choices?.join("|") ?? placeholders[kind] ?? kind.toUpperCase()}`;
}

/** The usage line of a command; of the common options, only with `--stage` and `--yes`. */
export function usageOf(command: Command): string {
  const words = [
    ...Object.entries(command.arguments).map(([name, { isOptional, isRepeated }]) => {
      const word = `${wordOf(name)}${isRepeated ? " ..." : ""}`;
      return isOptional ? `[${word}]` : word;
    }),
    ...Object.entries(command.options).map(([name, option]) => {
      const word = `${optionWord(name, option)}${option.isRepeated ? " ..." : ""}`;
      return option.isRequired ? word : `[${word}]`;
    }),
    ...(command.confirms === undefined ? [] : ["[--yes NAME]"]),
    "[--stage NAME]",
  ];
  return `Usage: npm run admin -- ${[command.name, ...words].join(" ")}`;
}

/** Usage, summary, arguments, options and examples of a command. */
export function helpOf(command: Command): string {
  const described: [string, string][] = [
    ...Object.entries(command.arguments).map(([name, field]): [string, string] => [
      wordOf(name),
      withDetails(field),
    ]),
    ...Object.entries(command.options).map(([name, field]): [string, string] => [
      optionWord(name, field),
      withDetails(field),
    ]),
    ...(command.confirms === undefined
      ? []
      : [["--yes NAME", `${command.confirms}, because this cannot be undone`] as [string, string]]),
  ];
  return [
    usageOf(command),
    "",
    `  ${command.summary}.`,
    "",
    ...(described.length === 0 ? [] : [columns(described), ""]),
    ...command.examples.map((example) => `  npm run admin -- ${example}`),
    "",
  ].join("\n");
}

/** Every command with its summary, and the common options. */
export function overviewOf(commands: readonly Command[]): string {
  const options = Object.entries<Option>(commonOptions)
    .filter(([name]) => name !== "help")
    .map(([name, option]): [string, string] => [optionWord(name, option), option.description]);
  return `Usage: npm run admin -- COMMAND [--stage NAME | --url URL] [--json] [--dry-run]

${columns(commands.map(({ name, summary }) => [name, summary]))}

${columns(options)}

npm run admin -- help COMMAND shows arguments, options and examples.
`;
}

function withDetails(field: Field): string {
  const { description, choices } = field;
  const values = choices === undefined ? "" : `: ${choices.join(", ")}`;
  const standard = "default" in field && field.default !== undefined ? ` (${field.default})` : "";
  return `${description}${values}${standard}`;
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join("\n");
}
