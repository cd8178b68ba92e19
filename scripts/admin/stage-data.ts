import { readFileSync } from "node:fs";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { deployedBuckets, deployedTables } from "#lib/releases/deployed-stacks.ts";
import { readStage } from "#lib/stage.ts";
import { type BucketName, buckets } from "#shared/registry/buckets.ts";
import { parseSettings, type Settings } from "#shared/registry/settings.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";
import type { Option } from "./command.ts";
import { CommandError } from "./command-error.ts";

/** The settings of a stage, and what its tables and buckets are called. */
export interface StageData {
  readonly settings: Settings;
  readonly tables: ReadonlyMap<TableName, string>;
  readonly buckets: ReadonlyMap<BucketName, string>;
}

/** Options of commands that work on the data of the stage, or of tables with a prefix. */
export const stageDataOptions = {
  "table-prefix": {
    kind: "text",
    placeholder: "PREFIX",
    description: "instead of a stage: what the names of its tables and buckets begin with",
  },
  settings: { kind: "file", description: "beside --table-prefix: a JSON file with settings" },
} as const satisfies Record<string, Option>;

interface Given {
  readonly "table-prefix": string | undefined;
  readonly settings: string | undefined;
}

/** @throws CommandError unless either a stage or a prefix is named */
export function requireOne(stage: string | undefined, prefix: string | undefined): void {
  if (stage === undefined && prefix === undefined)
    throw new CommandError(
      "Name either a --stage, or a --table-prefix: this command reaches no npm start, which keeps its data to itself",
    );
  if (stage !== undefined && prefix !== undefined)
    throw new CommandError("Name either a --stage, or a --table-prefix");
}

/** @throws CommandError unless exactly one of both is named, InvalidStageError, and Error when the stage is not deployed */
export async function findStageData(
  stage: string | undefined,
  { "table-prefix": prefix, settings: file }: Given,
): Promise<StageData> {
  requireOne(stage, prefix);
  if (stage === undefined) {
    const named = <Name extends string>(names: object) =>
      new Map((Object.keys(names) as Name[]).map((name) => [name, `${prefix}-${name}`]));
    const input = file === undefined ? {} : JSON.parse(readFileSync(file, "utf8"));
    return { settings: parseSettings(input), tables: named(tables), buckets: named(buckets) };
  }
  const { region, settings } = readStage(stage);
  const cloudFormation = new CloudFormationClient({ region });
  return {
    settings,
    tables: await deployedTables(cloudFormation, stage),
    buckets: await deployedBuckets(cloudFormation, stage),
  };
}

/** What a store of one of the tables needs. */
export const tableNameIn =
  ({ tables: found }: StageData) =>
  (name: TableName): string => {
    const tableName = found.get(name);
    if (tableName === undefined) throw new CommandError(`There is no table ${name}: deploy the data stack`);
    return tableName;
  };
