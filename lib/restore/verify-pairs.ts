import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { TableName } from "#shared/registry/tables.ts";
import { kindOf } from "../releases/item-kinds.ts";
import type { Item } from "./item-rules.ts";
import { keyText, pagesOf, readItems } from "./read-table.ts";

/**
 * Items that are written in one transaction with another one; a restore of both tables may contain only one of the two.
 */
export interface Pairs {
  /** Number of items that should have a counterpart. */
  readonly seen: number;
  /** Keys, as text, of those without one. */
  readonly single: readonly string[];
}

/** The key of the counterpart, by kinds of items that have one. */
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

/** The tables whose items have counterparts. */
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
