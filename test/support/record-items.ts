import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DynamoDBClient, paginateListTables } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { allItemKinds, kindOf } from "#lib/releases/item-kinds.ts";
import { attributesIn, type StoredSample, toSample } from "#lib/releases/item-samples.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { Table } from "#shared/platform/data/table.ts";
import type { TableName } from "#shared/registry/tables.ts";
import { stackConfig } from "./stack-config.ts";
import { changesIn, parseCall, tableOf } from "./unknown-fields.ts";

/** Samples of one kind, which differ in their attributes. */
const maxPerKind = 12;

/**
 * Collect samples of all kinds of items: of what this process puts, and of what is in the tables at the end.
 * @returns a function that writes them to a file of the folder, as JSON by table and kind
 */
export async function recordItems(folder: string): Promise<() => Promise<void>> {
  await allItemKinds();
  const samples = new Map<string, { items: StoredSample[]; seen: Set<string> }>();
  function note(tableName: string, item: StoredSample): void {
    const table = tableOf(tableName);
    if (table === undefined) return;
    const name = `${table}/${kindOf(table, item)?.kind ?? "unknown"}`;
    const { items, seen } = samples.get(name) ?? { items: [], seen: new Set() };
    samples.set(name, { items, seen });
    const paths = attributesIn(item);
    if (items.length === maxPerKind || paths.every((path) => seen.has(path))) return;
    for (const path of paths) seen.add(path);
    items.push(item);
  }
  interceptAwsCalls((call, send) => {
    if (call.service === "dynamodb")
      for (const { tableName, put } of changesIn(call.action, parseCall(call.body)))
        if (put !== undefined) note(tableName, unmarshall(put.Item));
    return send();
  });
  return async () => {
    for await (const { TableNames = [] } of paginateListTables({ client: new DynamoDBClient() }, {})) {
      for (const tableName of TableNames) {
        const table = tableOf(tableName);
        if (table === undefined) continue;
        for await (const item of itemsOf(tableName.slice(0, -table.length - 1), table)) note(tableName, item);
      }
    }
    const byName = Object.fromEntries([...samples].map(([name, { items }]) => [name, items]));
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(byName, toSample));
  };
}

async function* itemsOf(prefix: string, name: TableName): AsyncGenerator<StoredSample> {
  const table = new Table({ dynamo: createDynamo(), config: stackConfig(prefix) }, name);
  let start: Awaited<ReturnType<typeof table.scanPage>>["next"];
  do {
    const { items, next } = await table.scanPage({ ExclusiveStartKey: start });
    yield* items;
    start = next;
  } while (start !== undefined);
}
