import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { orderErasure } from "#shared/accounts/erasure-order.ts";
import { userIndexUpdate } from "#shared/accounts/index-update.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { createLog } from "#shared/platform/log.ts";
import { commit } from "#shared/platform/messaging/change.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";
import { allItemKinds } from "../releases/item-kinds.ts";
import { tablePlans } from "../table-plans.ts";
import { applyRules, erasedKind, noteOptions, type RuleCounts } from "./apply-rules.ts";
import type { Item } from "./item-rules.ts";
import { recountTeams } from "./recount-teams.ts";
import {
  addIndex,
  checkRecoverable,
  completeTable,
  copyMaxima,
  type Replacement,
  RestoreError,
  replacementsOf,
  startTables,
  untilActive,
} from "./restored-tables.ts";
import { type Mismatches, verifyAccounts } from "./verify-accounts.ts";
import { type Pairs, pairedTables, verifyPairs } from "./verify-pairs.ts";

export interface RestoreOptions {
  /** Names of the tables that the stage uses. */
  readonly tableNames: ReadonlyMap<TableName, string>;
  readonly settings: Settings;
  readonly at: Date;
  /** By default, all tables that can be restored. */
  readonly wanted?: readonly TableName[];
  readonly isLiveTrusted?: boolean;
  /** Parts of each table that are read at the same time. */
  readonly segments?: number;
  readonly pollMilliseconds?: number;
  readonly print?: (line: string) => void;
}

export interface Restored {
  /** Names of the new tables. */
  readonly names: Readonly<Partial<Record<TableName, string>>>;
  readonly counts: RuleCounts;
  /**
   * Accounts that were deleted since, and are erased again; without those in pages of earlier runs that were killed.
   */
  readonly erased: number;
  readonly correctedTeams: readonly string[];
  readonly mismatches: Mismatches | undefined;
  /** Numbers of items by restored table. */
  readonly pairs: Readonly<Partial<Record<TableName, Pairs>>>;
}

/**
 * Restore tables to their state at a time, as new tables that nothing uses yet. The live ones do not change. It may be
 * killed at any time; the same call continues.
 *
 * @throws RestoreError when it cannot begin or continue
 */
export async function restore({
  tableNames,
  settings,
  at,
  wanted = [],
  isLiveTrusted = true,
  segments = 8,
  pollMilliseconds,
  print = () => undefined,
}: RestoreOptions): Promise<Restored> {
  const replacements = replacementsOf(tableNames, at, wanted);
  const client = new DynamoDBClient();
  const dynamo = createDynamo();
  try {
    await checkRecoverable(client, replacements, { at, isLiveTrusted });
    await startTables(client, replacements, at);
    print(`${replacements.length} tables are being made.`);
    await untilActive(client, replacements, {
      pollMilliseconds,
      report: (waiting) => print(`  waiting for ${waiting.length}: ${waiting.join(", ")}`),
    });
    for (const replacement of replacements) await completeTable(client, replacement);

    await allItemKinds();
    const names = Object.fromEntries(replacements.map(({ table, target }) => [table, target]));
    const liveName = (table: TableName) => tableNames.get(table) ?? "";
    const nameOf = (table: TableName) => names[table] ?? liveName(table);
    const erase = eraserOf(nameOf);
    for (const { table, target } of replacements.filter(isRestored))
      await noteOptions(dynamo, { table, restoredName: target, isLiveTrusted, segments });
    let counts: RuleCounts = {};
    for (const { table, target } of replacements.filter(isRestored)) {
      const ofTable = await applyRules({
        dynamo,
        table,
        liveName,
        restoredName: target,
        isLiveTrusted,
        segments,
        onErased: erase,
      });
      counts = { ...counts, ...ofTable };
      print(`  ${table}: ${Object.values(ofTable).reduce((sum, { seen }) => sum + seen, 0)} items`);
    }
    const correctedTeams = names.teams === undefined ? [] : await recountTeams(dynamo, names.teams);
    const mismatches =
      names.accounts === undefined ? undefined : await verifyAccounts(dynamo, names.accounts, settings);
    const pairs: Partial<Record<TableName, Pairs>> = {};
    for (const { table, target } of replacements)
      if (pairedTables.includes(table))
        pairs[table] = await verifyPairs(dynamo, { table, tableName: target });
    for (const replacement of replacements) await copyMaxima(client, replacement);
    await untilActive(client, replacements, { pollMilliseconds });
    for (const replacement of replacements) await addIndex(client, replacement);
    const erased = counts[erasedKind]?.seen ?? 0;
    return { names, counts, erased, correctedTeams, mismatches, pairs };
  } finally {
    client.destroy();
    dynamo.destroy();
  }
}

const isRestored = ({ isEmpty }: Replacement) => !isEmpty;

/**
 * Orders another erasure of accounts that were deleted since and came back; the sweeper of the outbox sends the orders.
 */
function eraserOf(nameOf: (table: TableName) => string) {
  const dynamo = createDynamo();
  const outbox = new Outbox({
    config: { tableName: nameOf, queueUrl: () => "" },
    clock: systemClock,
    log: createLog("restore", "ERROR"),
  });
  return async ({ userId, teamId, assets }: Item): Promise<void> => {
    const order = {
      userId: String(userId),
      ...(typeof teamId === "string" && { teamId }),
      activationKeys: [],
      assetKeys: (assets as { key: string }[]).map(({ key }) => key),
    };
    await commit(dynamo, { messages: [orderErasure(outbox, order), userIndexUpdate(outbox, order.userId)] });
  };
}

/** @throws RestoreError naming unknown tables, and those that are never restored */
export function parseTableNames(names: readonly string[]): TableName[] {
  const unknown = names.filter((name) => !Object.hasOwn(tables, name));
  if (unknown.length > 0) {
    const known = Object.keys(tables).join(", ");
    throw new RestoreError(`There is no table ${unknown.join(", ")}; tables are ${known}`);
  }
  const wanted = names as TableName[];
  const live = wanted.filter((name) => tablePlans[name] === "live");
  if (live.length > 0)
    throw new RestoreError(`${live.join(", ")} is never restored: it stays as it is today`);
  return wanted;
}

/** @throws RestoreError unless a text is a complete time in UTC, to the second, that has passed */
export function checkTime(text: string, now = Date.now()): Date {
  const at = new Date(text);
  const isComplete = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text);
  if (!isComplete || Number.isNaN(at.getTime()) || at.getTime() > now)
    throw new RestoreError("The time must be in the past and in UTC, such as 2026-11-26T12:00:00Z");
  return at;
}
