/**
 * Runs the migrations that the code of this checkout needs, on the tables of a deployed stage, and prints their
 * progress. It needs AWS credentials that may describe the stacks, and scan and update the tables, and put items into
 * `audit`. Run it before the deployment, while the previous version is running, and with `--after-deployment` once that
 * has stopped; it may be stopped and run again at any time.
 *
 *   npm run migrate -- --stage NAME [--after-deployment] [--items-per-second N]
 */
import { parseArgs } from "node:util";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { deployedTables } from "#lib/releases/deployed-stacks.ts";
import { lateMigrations } from "#lib/releases/late-migrations.ts";
import { migrate } from "#lib/releases/migrate.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type Migration, migrations } from "#shared/registry/migrations.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { recordScript } from "./record-script.ts";
import { runScript, UsageError } from "./run-script.ts";
import { useStage } from "./use-stage.ts";

const usage = "usage: npm run migrate -- --stage NAME [--after-deployment] [--items-per-second N]";
await runScript(usage, async () => {
  const { values } = parseArgs({
    options: {
      stage: { type: "string" },
      "after-deployment": { type: "boolean", default: false },
      "items-per-second": { type: "string", default: "500" },
    },
  });
  const wanted = values["after-deployment"] ? lateMigrations : migrations;
  const itemsPerSecond = Number(values["items-per-second"]);
  if (values.stage === undefined || !(itemsPerSecond > 0)) throw new UsageError();
  const { settings } = useStage(values.stage);
  if (wanted.length === 0) console.log("This version needs no migration.");
  else await run({ stage: values.stage, settings, wanted, itemsPerSecond });
});

interface Run {
  readonly stage: string;
  readonly settings: Settings;
  readonly wanted: readonly Migration[];
  readonly itemsPerSecond: number;
}

async function run({ stage, settings, wanted, itemsPerSecond }: Run): Promise<void> {
  const cloudFormation = new CloudFormationClient();
  const tableNames = await deployedTables(cloudFormation, stage);
  const target = { migrations: wanted.map(({ id }) => id).join(" ") };
  await recordScript(
    { cloudFormation, stage, settings },
    { command: "migrate", event: "data.migrated", target },
  );
  const dynamo = createDynamo();
  for (const migration of wanted) {
    const { id, summary, table } = migration;
    const tableName = tableNames.get(table);
    if (tableName === undefined)
      throw new Error(`The stage ${stage} has no table ${table} yet: deploy its data stack`);
    console.log(`Migration ${id}: ${summary} (${tableName})`);
    const { seen, changed } = await migrate({
      dynamo,
      tableName,
      migration,
      itemsPerSecond,
      report: (state) => console.log(`  ${state.seen} items seen, ${state.changed} changed`),
    });
    console.log(`  Done: ${seen} items seen, ${changed} changed.`);
  }
}
