import { awsFailure } from "../../aws-failure.ts";
import type { Command } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { readCommandLine } from "../command-line.ts";
import { startRun } from "../command-run.ts";
import type { Target } from "../connect.ts";
import { type Endpoint, InternalApi } from "../internal-api.ts";
import { shellWord } from "./shell-word.ts";
import type { Entered, Task } from "./task.ts";

/** The installation that a page is about. */
export interface Installation extends Target {
  readonly endpoint: () => Promise<Endpoint>;
  readonly commands: readonly Command[];
  /** Whether nothing may be changed, even if a form is not a dry run. */
  readonly isDryRun: boolean;
}

/** The outcome of a task. */
export interface Outcome {
  /** The equivalent command for a terminal. */
  readonly commandLine: string;
  /** Undefined if there is no result but that it is done. */
  readonly result?: unknown;
  /** A message that part of it failed, although there is a result. */
  readonly failure?: string;
  /** The reason why it was not done. */
  readonly problem?: string;
  /** Name that must be repeated first, and its owner. */
  readonly confirmation?: { readonly name: string; readonly what: string };
  readonly notes: readonly string[];
  readonly isDryRun: boolean;
}

interface Manner {
  readonly isDryRun: boolean;
  /** The name that was repeated, if any. */
  readonly yes?: string | undefined;
}

/** Ends a command that waits for a name to confirm an action. */
class ConfirmationNeeded extends Error {
  readonly asked: { readonly name: string; readonly what: string };

  constructor(asked: { readonly name: string; readonly what: string }) {
    super("This cannot be undone");
    this.asked = asked;
  }
}

const mostPieces = 1000;

/** Run the command line of a task. */
export async function runTask(
  task: Task,
  entered: Entered,
  manner: Manner,
  { stage, url, endpoint, commands, ...installation }: Installation,
): Promise<Outcome> {
  const { yes } = manner;
  const isDryRun = manner.isDryRun || installation.isDryRun;
  const { command } = task;
  const words = task.wordsOf(entered);
  const common = [
    ...(stage === undefined ? [] : ["--stage", stage]),
    ...(url === undefined ? [] : ["--url", url]),
    ...(isDryRun && task.effect === "changes" ? ["--dry-run"] : []),
    ...(yes === undefined ? [] : [`--yes=${yes}`]),
  ];
  const commandLine = ["npm run admin --", command.name, ...[...common, ...words].map(shellWord)].join(" ");
  const api = new InternalApi({ endpoint, isDryRun, run: startRun(command.name) });
  const notes: string[] = [];
  const failures: string[] = [];
  const done = (outcome: Omit<Outcome, "commandLine" | "notes" | "isDryRun">): Outcome => ({
    commandLine,
    notes,
    isDryRun,
    ...outcome,
  });
  const context = {
    api,
    stage,
    url,
    isDryRun,
    commands,
    note: (text: string) => void notes.push(text),
    fail: () => void failures.push("Something failed"),
    async confirm(name: string, what: string) {
      if (!isDryRun && yes !== name) throw new ConfirmationNeeded({ name, what });
    },
  };
  try {
    const { values = {} } = readCommandLine(command, words);
    const running = command.run(context, values);
    const result = running instanceof Promise ? await running : await collect(running, context.note);
    return done({
      result: isDryRun && api.unsent.length > 0 ? { would_send: api.unsent } : result,
      failure: failures[0],
    });
  } catch (error) {
    if (error instanceof ConfirmationNeeded) {
      const isWrong = yes !== undefined && yes !== "";
      return done({
        confirmation: error.asked,
        ...(isWrong && { problem: `Nothing is done: that is not the name of ${error.asked.what}` }),
      });
    }
    return done({ problem: error instanceof CommandError ? error.message : awsFailure(error) });
  }
}

/** The pieces of a result, as many as a page can show. */
async function collect(pieces: AsyncIterable<object | string>, note: (text: string) => void) {
  const shown: (object | string)[] = [];
  let count = 0;
  for await (const piece of pieces) {
    count += 1;
    if (count <= mostPieces) shown.push(piece);
  }
  if (count > mostPieces) note(`These are the first ${mostPieces} of ${count}: the command line prints all.`);
  return shown.every((piece) => typeof piece === "string") ? shown.join("\n") : shown;
}
