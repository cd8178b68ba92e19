/**
 * Says whether account, quotas, names, mails and secrets are as a stage needs them, before it is deployed and afterwards. It
 * changes nothing, and exits with 1 when something is missing.
 *
 *   npm run preflight -- --stage NAME
 *
 * It needs AWS credentials that may read what it looks at; where they may not, the line says which permission is missing.
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
