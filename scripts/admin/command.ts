import type { ParseArgsConfig } from "node:util";
import { CommandError } from "./command-error.ts";
import type { InternalApi } from "./internal-api.ts";

/** What a command gets besides its arguments. */
export interface Context {
  readonly api: InternalApi;
  /** Values of the command's own options. */
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  /**
   * Let the operator repeat a name before something that cannot be undone, or read it from `--yes`; a dry run needs none.
   * @throws CommandError if it is another one
   */
  readonly confirm: (name: string, what: string) => Promise<void>;
  /** Tell the operator something that is no part of the result. */
  readonly note: (text: string) => void;
}

/** One command of `npm run admin`. */
export interface Command {
  /** One or two words, such as `user find`. */
  readonly name: string;
  /** Arguments and own options, such as `ADDRESS [--limit N]`. */
  readonly usage: string;
  readonly summary: string;
  /** What can be typed after `npm run admin --`. */
  readonly examples: readonly string[];
  readonly options?: NonNullable<ParseArgsConfig["options"]>;
  /** @returns what is printed, as text or as JSON; undefined: only that it is done */
  readonly run: (context: Context, args: readonly string[]) => Promise<unknown>;
}

/** The only argument of a command. @throws CommandError unless there is exactly one */
export function only(args: readonly string[], what: string): string {
  const [first, ...others] = args;
  if (first === undefined || first === "" || others.length > 0)
    throw new CommandError(`Exactly one argument is needed: ${what}`);
  return first;
}

/** @throws CommandError if there are arguments */
export function none(args: readonly string[]): void {
  if (args.length > 0) throw new CommandError(`No argument is expected: ${args.join(" ")}`);
}
