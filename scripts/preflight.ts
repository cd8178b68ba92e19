/**
 * Checks whether account, quotas, names, mails and secrets are ready for a stage, before and after its deployment. It
 * changes nothing, and exits with 1 when something is missing.
 *
 *   npm run preflight -- --stage NAME
 *
 * It needs AWS credentials that may read everything it checks; otherwise, a line names the missing permission.
 */
import { parseArgs } from "node:util";
import { readStage } from "#lib/stage.ts";
import { preflight } from "./preflight/preflight.ts";
import { runScript, UsageError } from "./run-script.ts";

await runScript("usage: npm run preflight -- --stage NAME", async () => {
  const { values } = parseArgs({ options: { stage: { type: "string" } } });
  if (values.stage === undefined) throw new UsageError();
  if (!(await preflight(readStage(values.stage), console.log))) process.exitCode = 1;
});
