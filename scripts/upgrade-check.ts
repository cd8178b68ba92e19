/**
 * Compares the stacks of this checkout with those that are deployed, and fails if the deployment would remove or replace what
 * holds data, or take away an export that other stacks may use. Names the migrations to run first. Changes nothing.
 *
 *   npm run upgrade:check -- --stage NAME
 */
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { deployedTables, deployedTemplates, stackPrefix } from "#lib/releases/deployed-stacks.ts";
import { keptResources, lossesBetween, type StackTemplate } from "#lib/releases/kept-resources.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { migrations } from "#shared/registry/migrations.ts";
import { MigrationNeededError, requireMigration } from "#shared/runtime/migration-state.ts";
import { runScript, UsageError } from "./run-script.ts";
import { useStage } from "./use-stage.ts";

await runScript("usage: npm run upgrade:check -- --stage NAME", async () => {
  const { values } = parseArgs({ options: { stage: { type: "string" } } });
  if (values.stage === undefined) throw new UsageError();
  await run(values.stage);
});

async function run(stage: string): Promise<void> {
  useStage(stage);
  const cloudFormation = new CloudFormationClient();
  const deployed = await deployedTemplates(cloudFormation, stage);
  if (Object.keys(deployed).length === 0) {
    const region = await cloudFormation.config.region();
    console.log(`Nothing is deployed as ${stage} in ${region}: this is a first deployment.`);
    return;
  }
  const losses = lossesBetween(keptResources(deployed), keptResources(synthesise(stage)));
  for (const loss of losses) console.error(loss);
  const waiting = await neededMigrations(cloudFormation, stage);
  for (const message of waiting) console.error(message);
  if (losses.length + waiting.length > 0) {
    console.error("Do not deploy this version: nothing has been changed.");
    process.exitCode = 1;
  } else {
    console.log(`${Object.keys(deployed).length} stacks compared: nothing that holds data would be lost.`);
  }
}

function synthesise(stage: string): Record<string, StackTemplate> {
  const output = mkdtempSync(join(tmpdir(), "parley-upgrade-"));
  try {
    const options = ["synth", "--quiet", "--output", output, "--context", `stage=${stage}`];
    const { status } = spawnSync(process.execPath, ["node_modules/aws-cdk/bin/cdk", ...options], {
      stdio: "inherit",
    });
    if (status !== 0) throw new Error("The stacks cannot be synthesised");
    return Object.fromEntries(
      globSync(join(output, `${stackPrefix(stage)}*.template.json`)).map((file) => [
        basename(file, ".template.json").slice(stackPrefix(stage).length),
        JSON.parse(readFileSync(file, "utf8")),
      ]),
    );
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

async function neededMigrations(cloudFormation: CloudFormationClient, stage: string): Promise<string[]> {
  if (migrations.length === 0) return [];
  const tableNames = await deployedTables(cloudFormation, stage);
  const dynamo = createDynamo();
  const messages: string[] = [];
  for (const migration of migrations) {
    const tableName = tableNames.get(migration.table);
    if (tableName === undefined) continue;
    try {
      await requireMigration(dynamo, tableName, migration);
    } catch (error) {
      if (!(error instanceof MigrationNeededError)) throw error;
      messages.push(error.message);
    }
  }
  return messages;
}
