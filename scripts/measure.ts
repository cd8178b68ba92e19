/**
 * Prints measurements of a deployed stage as a report in Markdown, to be filed. It changes nothing; CloudWatch charges
 * for the bytes that queries of logs read. Exits with 1 when something could not be measured.
 *
 *   npm run measure -- --stage NAME
 */
import { parseArgs } from "node:util";
import { readStage } from "#lib/stage.ts";
import { measure } from "./measure/measure.ts";
import { runScript, UsageError } from "./run-script.ts";

await runScript("usage: npm run measure -- --stage NAME", async () => {
  const { values } = parseArgs({ options: { stage: { type: "string" } } });
  if (values.stage === undefined) throw new UsageError();
  const endpoint = process.env.AWS_ENDPOINT_URL;
  if (!(await measure(readStage(values.stage), console.log, { endpoint }))) process.exitCode = 1;
});
