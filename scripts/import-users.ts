/**
 * Creates the accounts of a file of users, or checks what it would create. It needs AWS credentials that may describe the
 * data stack, and read and write its tables `accounts`, `teams` and `outbox`.
 *
 *   npm run import -- FILE --stage NAME [--dry-run] [--format jsonl|keycloak]
 *
 * Instead of a stage, `--table-prefix` and `--settings` name tables and a JSON file with settings. Prints one JSON object a
 * line of the file, and the counts at the end. It may be stopped and run again at any time: nobody is created twice.
 */
import { readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { parseArgs } from "node:util";
import { importUsers } from "#lib/import/import-users.ts";
import { readRealm } from "#lib/import/keycloak-realm.ts";
import { readJsonLines } from "#lib/import/user-line.ts";
import type { TableName } from "#shared/registry/tables.ts";
import { findStageData, namesStageData, stageDataOptions } from "./stage-data.ts";

const usage =
  "usage: npm run import -- FILE --stage NAME [--dry-run] [--format jsonl|keycloak]\n" +
  "       npm run import -- FILE --table-prefix PREFIX [--settings FILE] …";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...stageDataOptions,
    format: { type: "string", default: "jsonl" },
    "dry-run": { type: "boolean", default: false },
  },
});
const [file, ...others] = positionals;
const { format } = values;

if (
  file === undefined ||
  others.length > 0 ||
  !namesStageData(values) ||
  !["jsonl", "keycloak"].includes(format)
)
  fail(usage);
else await run(file).catch((error: Error) => fail(`${error.name}: ${error.message}`));

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

async function run(path: string): Promise<void> {
  const { settings, tables } = await findStageData(values);
  const tableName = (name: TableName) => {
    const found = tables.get(name);
    if (found === undefined) throw new Error(`There is no table ${name}`);
    return found;
  };
  const users =
    format === "keycloak"
      ? readRealm(readFileSync(path, "utf8"))
      : readJsonLines((await open(path)).createReadStream({ encoding: "utf8" }));
  const counts: Record<string, number> = {};
  for await (const report of importUsers({ users, settings, tableName, isDryRun: values["dry-run"] })) {
    console.log(JSON.stringify(report));
    counts[report.outcome] = (counts[report.outcome] ?? 0) + 1;
  }
  console.error(JSON.stringify(counts));
  if (counts.refused !== undefined || counts.failed !== undefined) process.exitCode = 1;
}
