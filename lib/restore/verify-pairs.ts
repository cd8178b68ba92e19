import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { TableName } from "#shared/registry/tables.ts";
import { kindOf } from "../releases/item-kinds.ts";
import type { Item } from "./item-rules.ts";
import { keyText, pagesOf, readItems } from "./read-table.ts";

/** Items that are written in one transaction with another one, of which a point in time may have kept one alone. */
export interface Pairs {
  /** How many items should have another. */
  readonly seen: number;
  /** Keys, as text, of those that have none. */
  readonly single: readonly string[];
}

/** The key of the other item, by kinds of items that have one. */
const others: Readonly<Partial<Record<TableName, Readonly<Record<string, (item: Item) => Item>>>>> = {
  connections: {
    connection: ({ userId, peerId }) => ({ owner: `user#${peerId}`, entry: `peer#${userId}` }),
  },
  conversations: {
    member: ({ conversationId, userId }) => ({
      owner: `user#${userId}`,
      entry: `conversation#${conversationId}`,
    }),
    "list-entry": ({ owner, conversationId }) => ({
      owner: `conversation#${conversationId}`,
      entry: String(owner).startsWith("team#") ? "conversation" : memberOf(owner),
    }),
  },
};

const memberOf = (owner: unknown) => `member#${String(owner).slice("user#".length)}`;

/** The tables whose items have others. */
export const pairedTables = Object.keys(others) as readonly TableName[];

/** Look for items whose other half is missing: both sides of connections, members and the lists that name them. */
export async function verifyPairs(
  dynamo: DynamoDBDocumentClient,
  { table, tableName }: { table: TableName; tableName: string },
): Promise<Pairs> {
  const otherOf = (item: Item) => others[table]?.[kindOf(table, item)?.kind ?? ""]?.(item);
  const single: string[] = [];
  let seen = 0;
  for await (const items of pagesOf(dynamo, tableName)) {
    const pairs = items.flatMap((item) => {
      const other = otherOf(item);
      return other === undefined ? [] : [{ item, other }];
    });
    seen += pairs.length;
    const found = await readItems(
      dynamo,
      { table, tableName },
      pairs.map(({ other }) => other),
    );
    for (const { item, other } of pairs)
      if (!found.has(keyText(table, other))) single.push(keyText(table, item));
  }
  return { seen, single };
}
