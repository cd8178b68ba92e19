import { awsFailure } from "./aws-failure.ts";

/** What was typed cannot be understood. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * Do what a command does. `--help` prints how it is typed; a failure is said in one line, without a stack trace, and exits
 * with 1.
 * @param usage how the command is typed, printed also for a `UsageError` and for options that `parseArgs` refuses
 */
export async function runScript(usage: string, run: () => void | Promise<void>): Promise<void> {
  if (process.argv.slice(2).includes("--help")) {
    console.log(usage);
    return;
  }
  try {
    await run();
  } catch (error) {
    console.error(explain(error, usage));
    process.exitCode = 1;
  }
}

function explain(error: unknown, usage: string): string {
  if (error instanceof UsageError) return error.message === "" ? usage : `${error.message}\n${usage}`;
  const isRefusedOption = error instanceof Error && String(Object(error).code).startsWith("ERR_PARSE_ARGS");
  return isRefusedOption ? `${error.message}\n${usage}` : awsFailure(error);
}
