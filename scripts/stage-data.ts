import { readFileSync } from "node:fs";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { deployedBuckets, deployedTables } from "#lib/releases/deployed-stacks.ts";
import { readStage } from "#lib/stage.ts";
import { type BucketName, buckets } from "#shared/registry/buckets.ts";
import { parseSettings, type Settings } from "#shared/registry/settings.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";

/** The settings of a stage, and what its tables and buckets are called. */
export interface StageData {
  readonly settings: Settings;
  readonly tables: ReadonlyMap<TableName, string>;
  readonly buckets: ReadonlyMap<BucketName, string>;
}

/** Options of commands that work on the data of a stage, or of tables with a prefix. */
export const stageDataOptions = {
  stage: { type: "string" },
  "table-prefix": { type: "string" },
  settings: { type: "string" },
} as const;

interface Options {
  readonly stage?: string | undefined;
  readonly "table-prefix"?: string | undefined;
  readonly settings?: string | undefined;
}

/** Whether the options name either a stage or a prefix. */
export const namesStageData = ({ stage, "table-prefix": prefix }: Options) =>
  (stage === undefined) !== (prefix === undefined);

/** @throws InvalidStageError, and Error when the stage is not deployed */
export async function findStageData({
  stage,
  "table-prefix": prefix,
  settings: file,
}: Options): Promise<StageData> {
  if (stage === undefined) {
    const named = <Name extends string>(names: object) =>
      new Map((Object.keys(names) as Name[]).map((name) => [name, `${prefix}-${name}`]));
    const input = file === undefined ? {} : JSON.parse(readFileSync(file, "utf8"));
    return { settings: parseSettings(input), tables: named(tables), buckets: named(buckets) };
  }
  const { settings } = readStage(stage);
  const cloudFormation = new CloudFormationClient();
  return {
    settings,
    tables: await deployedTables(cloudFormation, stage),
    buckets: await deployedBuckets(cloudFormation, stage),
  };
}
