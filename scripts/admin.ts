/**
 * Does what operators do: npm run admin -- COMMAND. Most commands call the internal API: with `--stage`, that needs AWS
 * credentials that may describe the stack `api` and call its internal API (`execute-api:Invoke`); without, they call the API
 * of `npm start`.
 *
 *   npm run admin -- help [COMMAND]
 *
 * `--json` prints results as JSON; `--dry-run` prints the requests that would change something and sends only those that
 * read. Exits with 1 if something is refused.
 */
import { createInterface } from "node:readline/promises";
import type { Command, Context } from "./admin/command.ts";
import { CommandError } from "./admin/command-error.ts";
import { helpOf, overviewOf, readCommandLine } from "./admin/command-line.ts";
import { commands } from "./admin/commands.ts";
import { connect } from "./admin/connect.ts";
import { toText } from "./admin/print.ts";
import { awsFailure } from "./aws-failure.ts";

const note = (text: string) => console.error(text);

try {
  await run(process.argv.slice(2));
} catch (error) {
  note(error instanceof CommandError ? error.message : awsFailure(error));
  process.exitCode = 1;
}

async function run(words: readonly string[]): Promise<void> {
  const [first, ...others] = words;
  if (first === undefined || first === "help" || first === "--help") {
    const named = commands.filter(({ name }) =>
      `${name} `.startsWith(others.map((word) => `${word} `).join("")),
    );
    if (named.length === 0) throw unknown(others);
    process.stdout.write(others.length === 0 ? overviewOf(commands) : named.map(helpOf).join("\n"));
    return;
  }
  const command = commands.find(({ name }) => name === words.slice(0, name.split(" ").length).join(" "));
  if (command === undefined) throw unknown(words);
  await runCommand(command, words.slice(command.name.split(" ").length));
}

async function runCommand(command: Command, words: readonly string[]): Promise<void> {
  const { values, common } = readCommandLine(command, words);
  if (values === undefined) {
    process.stdout.write(helpOf(command));
    return;
  }
  const { stage, url, json, yes, "dry-run": isDryRun = false } = common;
  const api = connect({ stage, url, isDryRun });
  const confirm: Context["confirm"] = async (name, what) => {
    if (!isDryRun && (yes ?? (await ask(name, what))) !== name)
      throw new CommandError(`Nothing is done: that is not the name of ${what}`);
  };
  const fail = () => {
    process.exitCode = 1;
  };
  const running = command.run({ api, stage, url, isDryRun, commands, confirm, note, fail }, values);
  if (!(running instanceof Promise)) {
    for await (const piece of running) console.log(typeof piece === "string" ? piece : JSON.stringify(piece));
    return;
  }
  const result = await running;
  const shown = isDryRun && api.unsent.length > 0 ? { would_send: api.unsent } : result;
  console.log(json ? JSON.stringify(shown ?? null, undefined, 2) : toText(shown));
}

/** @throws CommandError where nobody can be asked */
async function ask(name: string, what: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw new CommandError(`This cannot be undone: add --yes ${JSON.stringify(name)}`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(
    `This cannot be undone. Repeat the name of ${what}, ${JSON.stringify(name)}: `,
  );
  terminal.close();
  return answer;
}

function unknown(words: readonly string[]): CommandError {
  const group = commands.filter(({ name }) => name.startsWith(`${words[0]} `)).map(({ name }) => name);
  const typed = words.slice(0, 2).filter((word) => !word.startsWith("-"));
  const known = group.length > 0 ? `commands are ${group.join(", ")}` : "npm run admin -- help lists all";
  return new CommandError(`There is no command ${typed.join(" ")}: ${known}`);
}
