import { printable, printableJson, printableLines } from "#lib/printable.ts";
import { awsFailure } from "../aws-failure.ts";
import type { Command, Context } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { helpOf, overviewOf, readCommandLine } from "./command-line.ts";
import { startRun } from "./command-run.ts";
import { commands } from "./commands.ts";
import { connect } from "./connect.ts";
import { toText } from "./print.ts";

/** The terminal from which a command line comes. */
export interface Terminal {
  /** Print a line, or several, of the result. */
  readonly print: (text: string) => void;
  /** Print a line that is not part of the result. */
  readonly note: (text: string) => void;
  /** Ask the person at the terminal; undefined if there is nobody. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}

/**
 * Run the words after `npm run admin --`.
 * @returns the exit status
 */
export async function runAdmin(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const [first, ...others] = words;
    if (first === undefined || first === "help" || first === "--help") {
      terminal.print(helpAbout(others).trimEnd());
      return 0;
    }
    if (others.at(-1) === "--help" && isGroup(words.slice(0, -1))) {
      terminal.print(helpAbout(words.slice(0, -1)).trimEnd());
      return 0;
    }
    const command = commands.find(({ name }) => name === words.slice(0, name.split(" ").length).join(" "));
    if (command === undefined) throw unknown(words);
    return await runCommand(command, words.slice(command.name.split(" ").length), terminal);
  } catch (error) {
    terminal.note(printableLines(error instanceof CommandError ? error.message : awsFailure(error)));
    return 1;
  }
}

/** Whether several commands begin with these words, such as `outbox`. */
const isGroup = (words: readonly string[]): boolean =>
  commands.some(({ name }) => name.startsWith(`${words.join(" ")} `));

async function runCommand(
  command: Command,
  words: readonly string[],
  { print, ask, ...terminal }: Terminal,
): Promise<number> {
  const { values, common } = readCommandLine(command, words);
  if (values === undefined) {
    print(helpOf(command).trimEnd());
    return 0;
  }
  const { stage, url, json, yes, "dry-run": isDryRun = false } = common;
  const note = (text: string) => terminal.note(printableLines(text));
  const api = connect({ stage, url, isDryRun, run: startRun(command.name) });
  const confirm: Context["confirm"] = async (name, what) => {
    if (!isDryRun && (yes ?? (await repeated(name, what, ask))) !== name)
      throw new CommandError(`Nothing is done: that is not the name of ${what}`);
  };
  let status = 0;
  const fail = () => {
    status = 1;
  };
  const running = command.run({ api, stage, url, isDryRun, commands, confirm, note, fail }, values);
  if (!(running instanceof Promise)) {
    for await (const piece of running) print(typeof piece === "string" ? piece : printableJson(piece));
    return status;
  }
  const result = await running;
  const shown = isDryRun && api.unsent.length > 0 ? { would_send: api.unsent } : result;
  print(json ? printableJson(shown ?? null, 2) : toText(shown));
  return status;
}

/** @throws CommandError if nobody can be asked */
async function repeated(name: string, what: string, ask: Terminal["ask"]): Promise<string> {
  if (ask === undefined) throw new CommandError(`This cannot be undone: add --yes ${printableJson(name)}`);
  return ask(`This cannot be undone. Repeat the name of ${printable(what)}, ${printableJson(name)}: `);
}

/** @throws CommandError if no command begins with these words */
function helpAbout(words: readonly string[]): string {
  const named = commands.filter(({ name }) =>
    `${name} `.startsWith(words.map((word) => `${word} `).join("")),
  );
  if (named.length === 0) throw unknown(words);
  return words.length === 0 ? overviewOf(commands) : named.map(helpOf).join("\n");
}

function unknown(words: readonly string[]): CommandError {
  const group = commands.filter(({ name }) => name.startsWith(`${words[0]} `)).map(({ name }) => name);
  const typed = words.slice(0, 2).filter((word) => !word.startsWith("-"));
  const known = group.length > 0 ? `commands are ${group.join(", ")}` : "npm run admin -- help lists all";
  return new CommandError(`There is no command ${typed.join(" ")}: ${known}`);
}
