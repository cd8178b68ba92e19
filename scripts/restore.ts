/**
 * Restores the tables of a deployed stage to their state at a time, as new tables, and writes their names into the
 * stage file: the next deployment switches functions over. It needs AWS credentials that may describe the stacks, and
 * create, read and write tables. It may be stopped at any moment, and run again with the same time.
 *
 *   npm run restore -- --stage NAME --at 2026-11-26T12:00:00Z [--table NAME ...] [--distrust-live] [--segments N]
 *
 * By default all tables, because they refer to each other. With `--distrust-live`, the tables in use are not read,
 * because they are damaged: everybody must log in again, with the password of that time.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { deployedTables, NotDeployedError } from "#lib/releases/deployed-stacks.ts";
import { itemRules } from "#lib/restore/item-rules.ts";
import { checkTime, parseTableNames, type Restored, restore } from "#lib/restore/restore.ts";
import { RestoreError } from "#lib/restore/restored-tables.ts";
import { withRestoredTables } from "#lib/restore/stage-text.ts";
import { InvalidStageError } from "#lib/stage.ts";
import { awsFailure } from "./aws-failure.ts";
import { recordScript } from "./record-script.ts";
import { runScript, UsageError } from "./run-script.ts";
import { useStage } from "./use-stage.ts";

const usage =
  "usage: npm run restore -- --stage NAME --at 2026-11-26T12:00:00Z [--table NAME ...] [--distrust-live] [--segments N]";
const maxSegments = 64;

await runScript(usage, async () => {
  const { values } = parseArgs({
    options: {
      stage: { type: "string" },
      at: { type: "string" },
      table: { type: "string", multiple: true, default: [] },
      "distrust-live": { type: "boolean", default: false },
      segments: { type: "string", default: "8" },
    },
  });
  const { stage, at, table, "distrust-live": isLiveDistrusted } = values;
  const segments = Number(values.segments);
  const isBounded = Number.isInteger(segments) && segments >= 1 && segments <= maxSegments;
  if (stage === undefined || at === undefined || !isBounded) throw new UsageError();
  await run({ stage, at, table, isLiveDistrusted, segments }).catch(explain);
});

/** @throws Error that says what to do */
function explain(error: unknown): never {
  const isKnown = [RestoreError, InvalidStageError, NotDeployedError].some((kind) => error instanceof kind);
  if (isKnown) throw error;
  throw new Error(`${awsFailure(error)}\nRun the command again, with the same time, to continue.`);
}

interface Wanted {
  readonly stage: string;
  readonly at: string;
  readonly table: readonly string[];
  readonly isLiveDistrusted: boolean;
  readonly segments: number;
}

async function run({ stage, at, table, isLiveDistrusted, segments }: Wanted): Promise<void> {
  const startedAt = performance.now();
  const { settings } = useStage(stage);
  const time = checkTime(at);
  const wanted = parseTableNames(table);
  const cloudFormation = new CloudFormationClient();
  const tableNames = await deployedTables(cloudFormation, stage);
  const { finish } = await recordScript(
    { cloudFormation, stage, settings },
    {
      command: "restore",
      event: "data.restored",
      target: { at: time.toISOString(), tables: table.length === 0 ? "all" : wanted.join(" ") },
    },
  );
  const restored = await restore({
    tableNames,
    settings,
    at: time,
    wanted,
    isLiveTrusted: !isLiveDistrusted,
    segments,
    print: (line) => console.log(line),
  });
  report(restored);
  console.log(`Took ${Math.round((performance.now() - startedAt) / 1000)} s.`);
  const { withoutClaim = [], withoutAccount = [] } = restored.mismatches ?? {};
  if (withoutClaim.length + withoutAccount.length > 0)
    throw new RestoreError("Accounts and their addresses are inconsistent: the stage file was not changed.");
  noteTables(stage, restored.names);
  await finish({ outcome: "restored" });
  console.log(`
stages/${stage}.json names the new tables. Deploy to switch over: npm run deploy -- -c stage=${stage}
To go back, remove them from restoredTables and deploy again. The old tables keep their items.`);
}

function report({ counts, erased, correctedTeams, mismatches, pairs }: Restored): void {
  for (const [kind, { seen, changed, dropped }] of Object.entries(counts))
    if (changed + dropped > 0 || kind.endsWith("/unknown"))
      console.log(`  ${kind}: ${seen} seen, ${changed} changed, ${dropped} left out${why(kind)}`);
  console.log(`Accounts deleted since, which stay deleted: ${erased}`);
  if (correctedTeams.length > 0)
    console.log(`Teams whose counts were corrected: ${correctedTeams.join(", ")}`);
  for (const [table, { seen, single }] of Object.entries(pairs)) {
    console.log(`Checked ${seen} items of ${table} that have a counterpart.`);
    if (single.length > 0) console.log(`  without their counterpart: ${examples(single)}`);
  }
  if (mismatches === undefined) return;
  const { accounts, claims, withoutClaim, withoutAccount } = mismatches;
  console.log(`Checked ${accounts} accounts and ${claims} claims on addresses, numbers and handles.`);
  if (withoutClaim.length > 0) console.log(`  accounts without their claim: ${examples(withoutClaim)}`);
  if (withoutAccount.length > 0) console.log(`  claims without their account: ${examples(withoutAccount)}`);
}

function examples(ids: readonly string[]): string {
  return `${ids.length} (${ids.slice(0, 10).join(", ")})`;
}

function why(kind: string): string {
  const reason = itemRules[kind]?.reason;
  return reason === undefined ? "" : ` (${reason})`;
}

/** Write the names of the new tables into the stage file, in one step. */
function noteTables(stage: string, names: Restored["names"]): void {
  const file = join(import.meta.dirname, "..", "stages", `${stage}.json`);
  writeFileSync(`${file}.new`, withRestoredTables(readFileSync(file, "utf8"), names));
  renameSync(`${file}.new`, file);
}
