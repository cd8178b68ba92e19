import { setTimeout as delay } from "node:timers/promises";
import { awsAnswer, interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { type TableName, type TableSpec, tables } from "#shared/registry/tables.ts";

/** How long a DynamoDB transaction takes. */
const transactionMilliseconds = 15;

type Operation = { TableName: string; Key?: Record<string, unknown>; Item?: Record<string, unknown> };

/**
 * Let writes of this thread collide as on AWS: while a transaction is in progress, other writes to its items are
 * refused. The emulator executes them one after another instead.
 *
 * @param prefix of the names of the tables
 * @returns a function that ends the collisions and returns how many there were
 */
export function emulateContention(prefix: string): () => number {
  const locked = new Set<string>();
  let collisions = 0;
  const itemOf = ({ TableName, Key, Item = {} }: Operation) => {
    const { partitionKey, sortKey }: TableSpec = tables[TableName.slice(prefix.length + 1) as TableName];
    const values = [partitionKey, sortKey ?? ""].map((name) => Object(Key ?? Item)[name]);
    return JSON.stringify([TableName, ...values]);
  };
  const end = interceptAwsCalls(async ({ service, action, body }, send) => {
    const isTransaction = action === "TransactWriteItems";
    if (service !== "dynamodb" || !body.includes(`"${prefix}-`)) return send();
    if (!isTransaction && !["PutItem", "UpdateItem", "DeleteItem"].includes(action)) return send();
    const input = JSON.parse(body);
    const operations: Operation[] = isTransaction
      ? input.TransactItems.flatMap((item: object) => Object.values(item))
      : [input];
    const items = operations.map(itemOf);
    if (items.some((item) => locked.has(item))) {
      collisions++;
      const type = isTransaction ? "TransactionCanceledException" : "TransactionConflictException";
      const CancellationReasons = items.map((item) => ({
        Code: locked.has(item) ? "TransactionConflict" : "None",
      }));
      return awsAnswer(400, { __type: type, ...(isTransaction && { CancellationReasons }) });
    }
    if (!isTransaction) return send();
    for (const item of items) locked.add(item);
    try {
      await delay(transactionMilliseconds);
      return await send();
    } finally {
      for (const item of items) locked.delete(item);
    }
  });
  return () => {
    end();
    return collisions;
  };
}
