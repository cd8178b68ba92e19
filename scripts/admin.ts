/**
 * Runs commands for operators: npm run admin -- COMMAND. Most commands call the internal API. With `--stage`, they need
 * AWS credentials that may describe the stack `api` and call its internal API (`execute-api:Invoke`); without, they
 * call the API of `npm start`.
 *
 *   npm run admin -- help [COMMAND]
 *
 * `--json` prints results as JSON; `--dry-run` prints the requests that would change something and sends only requests
 * that read. Exits with 1 if something is refused.
 */
import { createInterface } from "node:readline/promises";
import { runAdmin } from "./admin/run-admin.ts";

process.exitCode = await runAdmin(process.argv.slice(2), {
  print: (text) => console.log(text),
  note: (text) => console.error(text),
  ask: process.stdin.isTTY ? ask : undefined,
});

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(question);
  terminal.close();
  return answer;
}
