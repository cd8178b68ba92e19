import { setTimeout as delay } from "node:timers/promises";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { GetCommand, ScanCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { onConditionFailed } from "#shared/platform/data/conditions.ts";
import type { ItemChange, Migration } from "#shared/registry/migrations.ts";
import { type TableSpec, tables } from "#shared/registry/tables.ts";
import { migrationKey } from "#shared/runtime/migration-state.ts";

type Item = Readonly<Record<string, unknown>>;

/** Progress of a migration, kept in the table itself, so that a restored table knows what it lacks. */
interface State {
  readonly isDone: boolean;
  /** Cursor of the next page; absent before the first one. */
  readonly position: Item | undefined;
  readonly seen: number;
  readonly changed: number;
}

interface MigrateOptions {
  readonly dynamo: DynamoDBDocumentClient;
  readonly tableName: string;
  readonly migration: Migration;
  /** Called with the progress after each page. */
  readonly report?: (state: State) => void;
  /** Most items that it reads per second: each consumes capacity that requests also need. */
  readonly itemsPerSecond?: number;
}

const pageSize = 100;
/** Attempts at an item that others keep changing. */
const maxAttempts = 20;

/**
 * Continue a migration from its recorded progress. It may be killed at any time, and several runs may overlap: the
 * items of a page are changed before its end is noted, an item changes only if it is still as it was read, and no
 * change is made twice.
 */
export async function migrate({
  report = () => undefined,
  itemsPerSecond = 500,
  ...options
}: MigrateOptions): Promise<State> {
  const { dynamo, tableName, migration } = options;
  for (;;) {
    const state = await readState(options);
    if (state.isDone) return state;
    const earliest = performance.now() + (pageSize / itemsPerSecond) * 1000;
    const { Items = [], LastEvaluatedKey: position } = await dynamo.send(
      new ScanCommand({
        TableName: tableName,
        Limit: pageSize,
        ConsistentRead: true,
        ExclusiveStartKey: state.position,
      }),
    );
    const own = JSON.stringify(migrationKey(migration));
    const items = Items.filter((item) => JSON.stringify(keyOf(migration, item)) !== own);
    const changes = await Promise.all(items.map((item) => changeItem(options, item)));
    const next = {
      isDone: position === undefined,
      position,
      seen: state.seen + items.length,
      changed: state.changed + changes.filter(Boolean).length,
    };
    await noteState(options, state, next);
    report(next);
    if (!next.isDone) await delay(Math.max(0, earliest - performance.now()));
  }
}

const keyOf = ({ table }: Migration, item: Item): Item => {
  const { partitionKey, sortKey }: TableSpec = tables[table];
  return {
    [partitionKey]: item[partitionKey],
    ...(sortKey !== undefined && { [sortKey]: item[sortKey] }),
  };
};

async function readState({ dynamo, tableName, migration }: MigrateOptions): Promise<State> {
  const { Item: item } = await dynamo.send(
    new GetCommand({ TableName: tableName, Key: migrationKey(migration), ConsistentRead: true }),
  );
  const { isDone = false, position, seen = 0, changed = 0 } = (item ?? {}) as Partial<State>;
  return { isDone, position, seen, changed };
}

/** If another run has noted the same page or a later one meanwhile, its note counts. */
async function noteState(
  { dynamo, tableName, migration }: MigrateOptions,
  before: State,
  { isDone, position, seen, changed }: State,
): Promise<void> {
  const isFirst = before.position === undefined;
  const update = dynamo.send(
    new UpdateCommand({
      TableName: tableName,
      Key: migrationKey(migration),
      UpdateExpression: `SET isDone = :isDone, seen = :seen, changed = :changed${position ? ", #position = :position" : " REMOVE #position"}`,
      ConditionExpression: `(attribute_not_exists(isDone) OR isDone = :false) AND ${isFirst ? "attribute_not_exists(#position)" : "#position = :before"}`,
      ExpressionAttributeNames: { "#position": "position" },
      ExpressionAttributeValues: {
        ":isDone": isDone,
        ":seen": seen,
        ":changed": changed,
        ":false": false,
        ...(position && { ":position": position }),
        ...(!isFirst && { ":before": before.position }),
      },
    }),
  );
  await onConditionFailed(
    update.then(() => undefined),
    () => undefined,
  );
}

/** @returns whether the item was changed */
async function changeItem(options: MigrateOptions, item: Item): Promise<boolean> {
  const { dynamo, tableName, migration } = options;
  let current: Item | undefined = item;
  for (let attempt = 1; current !== undefined; attempt++) {
    const change = migration.change(current);
    if (change === undefined) return false;
    if (attempt > maxAttempts)
      throw new Error(`An item of ${tableName} changes all the time: run the migration again`);
    if (await changeOnce(options, current, change)) return true;
    const read = new GetCommand({ TableName: tableName, Key: keyOf(migration, item), ConsistentRead: true });
    current = (await dynamo.send(read)).Item;
  }
  return false;
}

/**
 * Changes named attributes only, so that no other attribute can get lost.
 * @returns false if it is not as it was read
 */
async function changeOnce(
  { dynamo, tableName, migration }: MigrateOptions,
  item: Item,
  { set = {}, remove = [] }: ItemChange,
): Promise<boolean> {
  // Writers that replace a whole item require the revision that they read.
  const isVersioned = typeof item.revision === "number";
  const sets = Object.entries({ ...set, ...(isVersioned && { revision: Number(item.revision) + 1 }) });
  const required = [...new Set([...migration.reads, ...(isVersioned ? ["revision"] : [])])];
  const names = [...new Set([...sets.map(([name]) => name), ...remove, ...required])];
  const nameOf = (name: string) => `#n${names.indexOf(name)}`;
  const clauses = [
    ...(sets.length > 0
      ? [`SET ${sets.map(([name], index) => `${nameOf(name)} = :s${index}`).join(", ")}`]
      : []),
    ...(remove.length > 0 ? [`REMOVE ${remove.map(nameOf).join(", ")}`] : []),
  ];
  const { partitionKey } = tables[migration.table];
  const conditions = required.map((name, index) =>
    item[name] === undefined ? `attribute_not_exists(${nameOf(name)})` : `${nameOf(name)} = :r${index}`,
  );
  const update = dynamo.send(
    new UpdateCommand({
      TableName: tableName,
      Key: keyOf(migration, item),
      UpdateExpression: clauses.join(" "),
      ConditionExpression: ["attribute_exists(#key)", ...conditions].join(" AND "),
      ExpressionAttributeNames: {
        "#key": partitionKey,
        ...Object.fromEntries(names.map((name) => [nameOf(name), name])),
      },
      ExpressionAttributeValues: {
        ...Object.fromEntries(sets.map(([, value], index) => [`:s${index}`, value])),
        ...Object.fromEntries(
          required.flatMap((name, index) => (item[name] === undefined ? [] : [[`:r${index}`, item[name]]])),
        ),
      },
    }),
  );
  return onConditionFailed(
    update.then(() => true),
    () => false,
  );
}
