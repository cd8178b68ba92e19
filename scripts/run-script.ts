import { awsFailure } from "./aws-failure.ts";

/** The command line is invalid. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * Run a command. `--help` prints its usage; a failure is printed in one line, without a stack trace, and exits with 1.
 * @param usage text about the command line, also printed for a `UsageError` and for options that `parseArgs` refuses
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
