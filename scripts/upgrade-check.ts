/**
 * Compares the stacks of this checkout with the deployed ones, and fails if the deployment would remove or replace
 * resources that hold data, weaken their protection, or remove an export or output by which others find them. Names the
 * migrations to run first. Changes nothing. To accept an intended change, pass the name that is printed in front of it.
 *
 *   npm run upgrade:check -- --stage NAME [--accept CHANGE ...]
 */
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { acceptedResourceChanges } from "#lib/releases/accepted-resource-changes.ts";
import { deployedTables, deployedTemplates, stackPrefix } from "#lib/releases/deployed-stacks.ts";
import { keptResources, lossesBetween, type StackTemplate } from "#lib/releases/kept-resources.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { migrations } from "#shared/registry/migrations.ts";
import { MigrationNeededError, requireMigration } from "#shared/runtime/migration-state.ts";
import { runScript, UsageError } from "./run-script.ts";
import { useStage } from "./use-stage.ts";

await runScript("usage: npm run upgrade:check -- --stage NAME [--accept CHANGE ...]", async () => {
  const { values } = parseArgs({
    options: { stage: { type: "string" }, accept: { type: "string", multiple: true, default: [] } },
  });
  if (values.stage === undefined) throw new UsageError();
  await run(values.stage, values.accept);
});

async function run(stage: string, accepted: readonly string[]): Promise<void> {
  useStage(stage);
  const cloudFormation = new CloudFormationClient();
  const deployed = await deployedTemplates(cloudFormation, stage);
  if (Object.keys(deployed).length === 0) {
    const region = await cloudFormation.config.region();
    console.log(`Nothing is deployed as ${stage} in ${region}: this is a first deployment.`);
    return;
  }
  const found = lossesBetween(keptResources(deployed), keptResources(synthesise(stage)));
  const unknown = accepted.filter((one) => found.every(({ name }) => name !== one));
  if (unknown.length > 0) throw new Error(`No change is called ${unknown.join(", ")}: nothing is accepted`);
  const losses = found.filter(({ name }) => !accepted.includes(name) && !(name in acceptedResourceChanges));
  for (const { name, says } of losses) console.error(`${name}: ${says}`);
  const waiting = await neededMigrations(cloudFormation, stage);
  for (const message of waiting) console.error(message);
  if (losses.length + waiting.length > 0) {
    console.error("Do not deploy this version. Nothing has been changed.");
    process.exitCode = 1;
  } else {
    const besides = found.length > 0 ? `, besides ${found.length} accepted changes` : "";
    console.log(
      `${Object.keys(deployed).length} stacks compared: nothing that holds data would be lost or unprotected${besides}.`,
    );
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
