import { readFileSync } from "node:fs";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import type { DataAccess } from "#lib/local/console/data-access.ts";
import { deployedBuckets, deployedTables } from "#lib/releases/deployed-stacks.ts";
import { type BucketName, buckets } from "#shared/registry/buckets.ts";
import { parseSettings, type Settings } from "#shared/registry/settings.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";
import { useStage } from "../use-stage.ts";
import type { Option } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { localUrl, requireThisMachine, type Target } from "./connect.ts";
import type { InternalApi } from "./internal-api.ts";
import { type Action, type ActionRecord, recordAction } from "./record-action.ts";

/** The settings of a stage, and the names of its tables and buckets. */
export interface StageData {
  readonly settings: Settings;
  readonly tables: ReadonlyMap<TableName, string>;
  readonly buckets: ReadonlyMap<BucketName, string>;
  /** The record in the audit trail of the command that uses the data. */
  readonly recorded: ActionRecord;
}

/** Options of commands that work on the data of a stage, or on tables with a prefix. */
export const stageDataOptions = {
  "table-prefix": {
    kind: "text",
    placeholder: "PREFIX",
    description: "instead of a stage: prefix of the names of its tables and buckets",
  },
  settings: { kind: "file", description: "with --table-prefix: a JSON file with settings" },
} as const satisfies Record<string, Option>;

interface Given {
  readonly "table-prefix": string | undefined;
  readonly settings: string | undefined;
}

/** The data that the operator names, and the command that uses them. */
type Asked = Target & { readonly api?: Pick<InternalApi, "run"> };

/**
 * Find the data of a stage, of tables with a prefix, or of `npm start`, after recording the command.
 * @throws CommandError if both are named, if neither is and `npm start` does not run, or if the command cannot be
 * recorded;
 *   InvalidStageError, NotDeployedError
 */
export async function findStageData(target: Asked, given: Given, action: Action): Promise<StageData> {
  const data = await findData(target, given);
  return {
    ...data,
    recorded: await recordAction({ ...data, tableName: tableNameIn(data), run: target.api?.run }, action),
  };
}

type FoundData = Omit<StageData, "recorded">;

async function findData(
  { stage, url }: Target,
  { "table-prefix": prefix, settings: file }: Given,
): Promise<FoundData> {
  if (stage !== undefined && prefix !== undefined)
    throw new CommandError("Name either a --stage, or a --table-prefix");
  if (prefix !== undefined) {
    const input = file === undefined ? {} : JSON.parse(readFileSync(file, "utf8"));
    return dataWith(prefix, parseSettings(input));
  }
  if (stage === undefined) return localData(url);
  const { settings } = useStage(stage);
  const cloudFormation = new CloudFormationClient();
  return {
    settings,
    tables: await deployedTables(cloudFormation, stage),
    buckets: await deployedBuckets(cloudFormation, stage),
  };
}

/**
 * The data of `npm start`, whose console tells how to reach them; applies to AWS clients that are created from now on.
 */
async function localData(internalUrl = localUrl): Promise<FoundData> {
  requireThisMachine(internalUrl);
  const console = new URL("/data-access", internalUrl);
  console.port = String(Number(console.port) + 1);
  const response = await fetch(console, { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
  if (!response?.ok)
    throw new CommandError(
      `Name a --stage or a --table-prefix: there is no console of npm start at ${console.origin}`,
    );
  const { environment, prefix, settings } = (await response.json()) as DataAccess;
  Object.assign(process.env, environment);
  return dataWith(prefix, settings);
}

function dataWith(prefix: string, settings: Settings): FoundData {
  const named = <Name extends string>(names: object) =>
    new Map((Object.keys(names) as Name[]).map((name) => [name, `${prefix}-${name}`]));
  return { settings, tables: named(tables), buckets: named(buckets) };
}

/** The parameters for a store of one of the tables. */
export const tableNameIn =
  ({ tables: found }: Pick<StageData, "tables">) =>
  (name: TableName): string => {
    const tableName = found.get(name);
    if (tableName === undefined) throw new CommandError(`There is no table ${name}: deploy the data stack`);
    return tableName;
  };
