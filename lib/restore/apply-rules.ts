import { isDeepStrictEqual } from "node:util";
import { type DynamoDBDocumentClient, GetCommand, PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { readItem } from "#shared/platform/data/batch-read.ts";
import { batchDelete, batchPut } from "#shared/platform/data/batch-write.ts";
import { onConditionFailed } from "#shared/platform/data/conditions.ts";
import { type TableName, type TableSpec, tables } from "#shared/registry/tables.ts";
import { kindOf } from "../releases/item-kinds.ts";
import { carriedKinds, type Item, type ItemRule, itemRules } from "./item-rules.ts";
import { keyOf } from "./read-table.ts";
import { RestoreError } from "./restored-tables.ts";

/** Numbers of items of each kind that a run has seen, changed and dropped. */
export type RuleCounts = Readonly<
  Record<string, { readonly seen: number; readonly changed: number; readonly dropped: number }>
>;

interface ApplyOptions {
  readonly dynamo: DynamoDBDocumentClient;
  readonly table: TableName;
  /** Names of the live tables. */
  readonly liveName: (table: TableName) => string;
  /** Name of the restored one, which no function uses yet. */
  readonly restoredName: string;
  readonly isLiveTrusted: boolean;
  /** Parts of the table that are read at the same time. */
  readonly segments: number;
  readonly report?: (counts: RuleCounts) => void;
  /** Called for each account that was deleted since; again if a run was killed. */
  readonly onErased?: (restored: Item) => Promise<void>;
}

/** Progress in a part of the table, kept in the restored table itself, so that any machine can continue. */
interface Progress {
  readonly isDone: boolean;
  readonly position?: Item | undefined;
  readonly counts: RuleCounts;
}

/** Records of progress, which a scan meets in either table. */
interface Pass {
  readonly name: string;
  readonly scanned: string;
  readonly handle: (items: readonly Item[], counts: Counter) => Promise<void>;
}

/** Key under which accounts that were deleted since are also counted. */
export const erasedKind = "accounts/account, deleted since";

type Counter = (kind: string, outcome: "kept" | "changed" | "dropped") => void;

/**
 * Bring a restored table into a state in which it may be used. It may be killed at any time: the changes of a page are
 * written before its end is noted, and repeating them changes nothing.
 */
export async function applyRules(options: ApplyOptions): Promise<RuleCounts> {
  const passes: Pass[] = [
    {
      name: "rules",
      scanned: options.restoredName,
      handle: (items, count) => applyToPage(options, items, count),
    },
  ];
  const carried = carriedKinds.filter((kind) => kind.startsWith(`${options.table}/`));
  if (options.isLiveTrusted && carried.length > 0) {
    passes.push({
      name: "carried",
      scanned: options.liveName(options.table),
      handle: (items, count) => carryPage(options, items, carried, count),
    });
  }
  let total: RuleCounts = {};
  for (const pass of passes) {
    const parts = Array.from({ length: options.segments }, (_, segment) =>
      runSegment(options, pass, segment),
    );
    for (const counts of await Promise.all(parts)) total = sumOf(total, counts);
    options.report?.(total);
  }
  return total;
}

/**
 * Note the options with which a table is changed, before anything changes.
 * @throws RestoreError when it was begun with other options, by which some items may have been decided already
 */
export async function noteOptions(
  dynamo: DynamoDBDocumentClient,
  {
    table,
    restoredName,
    isLiveTrusted,
    segments,
  }: Pick<ApplyOptions, "table" | "restoredName" | "isLiveTrusted" | "segments">,
): Promise<void> {
  const begunWith = `${isLiveTrusted ? "live tables" : "--distrust-live"}, ${segments} segments`;
  const put = new PutCommand({
    TableName: restoredName,
    Item: { ...noteKey(table, "options"), begunWith },
    ConditionExpression: "attribute_not_exists(begunWith) OR begunWith = :begunWith",
    ExpressionAttributeValues: { ":begunWith": begunWith },
  });
  await onConditionFailed(dynamo.send(put), () => {
    throw new RestoreError(
      `${restoredName} was begun with other options: use the same --distrust-live and --segments, or another time`,
    );
  });
}

async function runSegment(options: ApplyOptions, pass: Pass, segment: number): Promise<RuleCounts> {
  const { dynamo, segments } = options;
  let progress = await readProgress(options, pass, segment);
  while (!progress.isDone) {
    const { Items = [], LastEvaluatedKey: position } = await dynamo.send(
      new ScanCommand({
        TableName: pass.scanned,
        Segment: segment,
        TotalSegments: segments,
        ExclusiveStartKey: progress.position,
      }),
    );
    const counts: Record<string, { seen: number; changed: number; dropped: number }> = {};
    const count: Counter = (kind, outcome) => {
      const before = counts[kind] ?? { seen: 0, changed: 0, dropped: 0 };
      counts[kind] = { ...before, seen: before.seen + 1 };
      if (outcome !== "kept") counts[kind][outcome]++;
    };
    await pass.handle(
      Items.filter((item) => !isProgress(options.table, item)),
      count,
    );
    progress = { isDone: position === undefined, position, counts: sumOf(progress.counts, counts) };
    await noteProgress(options, pass, segment, progress);
  }
  return progress.counts;
}

async function applyToPage(options: ApplyOptions, items: readonly Item[], count: Counter): Promise<void> {
  const { dynamo, table, liveName, restoredName, isLiveTrusted, onErased } = options;
  const ruled = items.flatMap((item) => {
    const kind = nameOfKind(table, item);
    const isReplaced = isLiveTrusted && carriedKinds.includes(kind);
    const rule: ItemRule | undefined = isReplaced ? { reason: "", apply: () => undefined } : itemRules[kind];
    if (rule === undefined) count(kind, "kept");
    return rule === undefined ? [] : [{ item, kind, rule }];
  });
  // The reads share requests.
  const live = await Promise.all(
    ruled.map(async ({ item, rule }) => {
      if (!isLiveTrusted || rule.live === undefined) return undefined;
      const { table: liveTable, key } = rule.live(item);
      return readItem(dynamo, liveName(liveTable), key);
    }),
  );
  const puts: Item[] = [];
  const deletions: Item[] = [];
  for (const [index, { item, kind, rule }] of ruled.entries()) {
    const next = rule.apply(item, live[index], isLiveTrusted);
    const outcome = next === undefined ? "dropped" : isDeepStrictEqual(next, item) ? "kept" : "changed";
    if (next === undefined) deletions.push(item);
    else if (outcome === "changed") puts.push(next);
    count(kind, outcome);
    if (kind === "accounts/account" && next?.status === "deleted" && item.status !== "deleted") {
      await onErased?.(item);
      count(erasedKind, "kept");
    }
  }
  await batchPut(dynamo, { tableName: restoredName, items: puts });
  await batchDelete(dynamo, { tableName: restoredName, keys: deletions.map((item) => keyOf(table, item)) });
}

async function carryPage(
  { dynamo, table, restoredName }: ApplyOptions,
  items: readonly Item[],
  kinds: readonly string[],
  count: Counter,
): Promise<void> {
  const carried = items.filter((item) => kinds.includes(nameOfKind(table, item)));
  for (const item of carried) count(`${nameOfKind(table, item)}, carried`, "changed");
  await batchPut(dynamo, { tableName: restoredName, items: carried });
}

const nameOfKind = (table: TableName, item: Item): string => {
  const kind = kindOf(table, item);
  return kind === undefined ? `${table}/unknown` : `${table}/${kind.kind}`;
};

const progressName = "restore-progress#";
const isProgress = (table: TableName, item: Item) =>
  String(item[tables[table].partitionKey]).startsWith(progressName);

function noteKey(table: TableName, name: string): Record<string, string> {
  const { partitionKey, sortKey }: TableSpec = tables[table];
  return {
    [partitionKey]: `${progressName}${name}`,
    ...(sortKey !== undefined && { [sortKey]: "progress" }),
  };
}

const progressKey = ({ table, segments }: ApplyOptions, { name }: Pass, segment: number) =>
  noteKey(table, `${name}#${segment}/${segments}`);

async function readProgress(options: ApplyOptions, pass: Pass, segment: number): Promise<Progress> {
  const { Item: item } = await options.dynamo.send(
    new GetCommand({
      TableName: options.restoredName,
      Key: progressKey(options, pass, segment),
      ConsistentRead: true,
    }),
  );
  return { isDone: false, counts: {}, ...item };
}

async function noteProgress(
  options: ApplyOptions,
  pass: Pass,
  segment: number,
  progress: Progress,
): Promise<void> {
  await options.dynamo.send(
    new PutCommand({
      TableName: options.restoredName,
      Item: { ...progress, ...progressKey(options, pass, segment) },
    }),
  );
}

function sumOf(one: RuleCounts, other: RuleCounts): RuleCounts {
  const kinds = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const zero = { seen: 0, changed: 0, dropped: 0 };
  return Object.fromEntries(
    kinds.map((kind) => {
      const [a, b] = [one[kind] ?? zero, other[kind] ?? zero];
      return [
        kind,
        { seen: a.seen + b.seen, changed: a.changed + b.changed, dropped: a.dropped + b.dropped },
      ];
    }),
  );
}
