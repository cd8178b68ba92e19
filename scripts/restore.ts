/**
 * Brings the tables of a deployed stage back as they were at a time, as new tables, and writes their names into the stage
 * file: the next deployment switches functions over. It needs AWS credentials that may describe the stacks, and create,
 * read and write tables. It may be stopped, and run again with the same time, at any moment.
 *
 *   npm run restore -- --stage NAME --at 2026-11-26T12:00:00Z [--table NAME ...] [--distrust-live] [--segments N]
 *
 * By default all tables, because they refer to each other. With `--distrust-live`, nothing is read of the tables in use,
 * because they are damaged: everybody must log in again, with the password of that time.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { deployedTables } from "#lib/releases/deployed-stacks.ts";
import { itemRules } from "#lib/restore/item-rules.ts";
import { parseTableNames, type Restored, restore } from "#lib/restore/restore.ts";
import { RestoreError } from "#lib/restore/restored-tables.ts";
import { InvalidStageError, readStage } from "#lib/stage.ts";

const usage =
  "usage: npm run restore -- --stage NAME --at 2026-11-26T12:00:00Z [--table NAME ...] [--distrust-live] [--segments N]";
const { values } = parseArgs({
  options: {
    stage: { type: "string" },
    at: { type: "string" },
    table: { type: "string", multiple: true, default: [] },
    "distrust-live": { type: "boolean", default: false },
    segments: { type: "string", default: "8" },
  },
});
const segments = Number(values.segments);

if (values.stage === undefined || values.at === undefined || !(segments >= 1)) fail(usage);
else await run(values.stage, new Date(values.at)).catch(explain);

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

function explain(error: unknown): void {
  const { name, message } = error as Error;
  const isKnown = error instanceof RestoreError || error instanceof InvalidStageError;
  fail(isKnown ? message : `${name}: ${message}\nRun the command again, with the same time, to go on.`);
}

async function run(stage: string, at: Date): Promise<void> {
  const startedAt = performance.now();
  const { settings } = readStage(stage);
  const restored = await restore({
    tableNames: await deployedTables(new CloudFormationClient(), stage),
    settings,
    at,
    wanted: parseTableNames(values.table),
    isLiveTrusted: !values["distrust-live"],
    segments,
    print: (line) => console.log(line),
  });
  report(restored);
  console.log(`Took ${Math.round((performance.now() - startedAt) / 1000)} s.`);
  const { withoutClaim = [], withoutAccount = [] } = restored.mismatches ?? {};
  if (withoutClaim.length + withoutAccount.length > 0) {
    fail("Accounts and their addresses do not fit together: the stage file is left as it is.");
    return;
  }
  noteTables(stage, restored.names);
  console.log(`
stages/${stage}.json names the new tables. Deploy to switch over: npm run deploy -- -c stage=${stage}
To go back, remove them from restoredTables and deploy again. The old tables keep what they have.`);
}

function report({ counts, erased, correctedTeams, mismatches }: Restored): void {
  for (const [kind, { seen, changed, dropped }] of Object.entries(counts))
    if (changed + dropped > 0)
      console.log(`  ${kind}: ${seen} seen, ${changed} changed, ${dropped} left out${why(kind)}`);
  console.log(`Accounts deleted since, which stay deleted: ${erased}`);
  if (correctedTeams.length > 0)
    console.log(`Teams whose counts were corrected: ${correctedTeams.join(", ")}`);
  if (mismatches === undefined) return;
  const { accounts, claims, withoutClaim, withoutAccount } = mismatches;
  console.log(`Checked ${accounts} accounts and ${claims} claims on addresses, numbers and handles.`);
  const examples = (ids: readonly string[]) => `${ids.length} (${ids.slice(0, 10).join(", ")})`;
  if (withoutClaim.length > 0) console.log(`  accounts without their claim: ${examples(withoutClaim)}`);
  if (withoutAccount.length > 0) console.log(`  claims without their account: ${examples(withoutAccount)}`);
}

function why(kind: string): string {
  const reason = itemRules[kind]?.reason;
  return reason === undefined ? "" : ` (${reason})`;
}

/** Name the new tables in the stage file, and keep everything else in it. */
function noteTables(stage: string, names: Restored["names"]): void {
  const file = join(import.meta.dirname, "..", "stages", `${stage}.json`);
  const fields = JSON.parse(readFileSync(file, "utf8"));
  const restoredTables = { ...fields.restoredTables, ...names };
  writeFileSync(file, `${JSON.stringify({ ...fields, restoredTables }, null, 2)}\n`);
}
