import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type Item, Table } from "#shared/platform/data/table.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";
import { stackConfig } from "./stack-config.ts";

const lasting: ReadonlySet<TableName> = new Set(["audit", "statistics"]);

/**
 * All items of a stack that contain a text anywhere, such as an id, by table. Left out are the audit trail and
 * counters, which outlast their subjects, and notes of who pays for pending work. Only for a test's own stack: reads
 * the tables from end to end.
 * @param names tables to read; all of them by default
 */
export async function itemsMentioning(
  text: string,
  prefix: string,
  names = (Object.keys(tables) as TableName[]).filter((name) => !lasting.has(name)),
): Promise<Partial<Record<TableName, Item[]>>> {
  const context = { dynamo: createDynamo(), config: stackConfig(prefix), clock: systemClock };
  const found: Partial<Record<TableName, Item[]>> = {};
  for (const name of names) {
    const table = new Table(context, name);
    let start: Awaited<ReturnType<typeof table.scanPage>>["next"];
    do {
      const { items, next } = await table.scanPage({ ExclusiveStartKey: start });
      const matching = items.filter((item) => JSON.stringify({ ...item, sample: undefined }).includes(text));
      if (matching.length > 0) found[name] = [...(found[name] ?? []), ...matching];
      start = next;
    } while (start !== undefined);
  }
  return found;
}
