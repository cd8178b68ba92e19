/**
 * Does what operators do by the internal API: npm run admin -- COMMAND. With `--stage`, it needs AWS credentials that may
 * describe the stack `api` and call its internal API (`execute-api:Invoke`); without, it calls the API of `npm start`.
 *
 *   npm run admin -- help [COMMAND]
 *
 * `--json` prints results as JSON; `--dry-run` prints the requests that would change something and sends only those that
 * read. Exits with 1 if something is refused.
 */
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import type { Command, Context } from "./admin/command.ts";
import { CommandError } from "./admin/command-error.ts";
import { commands } from "./admin/commands.ts";
import { connect } from "./admin/connect.ts";
import { toText } from "./admin/print.ts";
import { awsFailure } from "./aws-failure.ts";

const commonOptions = {
  stage: { type: "string" },
  url: { type: "string" },
  json: { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
  yes: { type: "string" },
  help: { type: "boolean", default: false },
} as const;

const note = (text: string) => console.error(text);

try {
  await run(process.argv.slice(2));
} catch (error) {
  note(error instanceof CommandError ? error.message : awsFailure(error));
  process.exitCode = 1;
}

async function run([first, ...others]: readonly string[]): Promise<void> {
  if (first === undefined || first === "help" || first === "--help") {
    const named = commands.filter(({ name }) =>
      `${name} `.startsWith(others.map((word) => `${word} `).join("")),
    );
    if (named.length === 0) throw unknown(others);
    process.stdout.write(others.length === 0 ? overview() : named.map(helpOf).join("\n"));
    return;
  }
  const words = [first, ...others];
  const command = commands.find(({ name }) => name === words.slice(0, name.split(" ").length).join(" "));
  if (command === undefined) throw unknown(words);
  await runCommand(command, words.slice(command.name.split(" ").length));
}

async function runCommand(command: Command, args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(command, args);
  const { stage, url, json, "dry-run": isDryRun, yes, help, ...options } = values as Values;
  if (help) {
    process.stdout.write(helpOf(command));
    return;
  }
  const api = await connect({ stage, url, isDryRun });
  const confirm: Context["confirm"] = async (name, what) => {
    if (!isDryRun && (yes ?? (await ask(name, what))) !== name)
      throw new CommandError(`Nothing is done: that is not the name of ${what}`);
  };
  const result = await command.run({ api, options, confirm, note }, positionals);
  const shown = isDryRun && api.unsent.length > 0 ? { would_send: api.unsent } : result;
  console.log(json ? JSON.stringify(shown ?? null, undefined, 2) : toText(shown));
}

type Values = {
  readonly stage?: string;
  readonly url?: string;
  readonly json: boolean;
  readonly "dry-run": boolean;
  readonly yes?: string;
  readonly help: boolean;
} & Context["options"];

function parse(command: Command, args: readonly string[]) {
  try {
    const options = { ...command.options, ...commonOptions };
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n${usageOf(command)}`);
  }
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

function overview(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return `Usage: npm run admin -- COMMAND [--stage NAME | --url URL] [--json] [--dry-run]

${commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join("\n")}

  --stage NAME  the deployed stage, called with your AWS credentials; without it, the API of npm start
  --url URL     another address of this machine
  --json        print the result as JSON
  --dry-run     print what would be sent, and change nothing
  --yes NAME    confirm what cannot be undone

npm run admin -- help COMMAND shows examples.
`;
}

function usageOf({ name, usage }: Command): string {
  return `Usage: npm run admin -- ${name} ${usage}`;
}

function helpOf(command: Command): string {
  return `${usageOf(command)}

  ${command.summary}.

${command.examples.map((example) => `  npm run admin -- ${example}`).join("\n")}
`;
}
