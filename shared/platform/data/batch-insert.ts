import { BatchExecuteStatementCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { chunks } from "../chunks.ts";

/** Maximum number of statements in one request to DynamoDB. */
const maxStatements = 25;

/** Outcome for one item; `failed` may be repeated. */
export type Insertion = "inserted" | "exists" | "failed";

/**
 * Insert items with distinct keys, each independently of the others and only if its key is free. Costs what single
 * conditional puts cost, with a request for 25 of them.
 *
 * @returns the outcomes in the order of the items
 */
export async function batchInsert(
  dynamo: DynamoDBDocumentClient,
  { tableName, items }: { readonly tableName: string; readonly items: readonly Record<string, unknown>[] },
): Promise<Insertion[]> {
  const outcomes = chunks(items, maxStatements).map((batch) => insertBatch(dynamo, tableName, batch));
  return (await Promise.all(outcomes)).flat();
}

async function insertBatch(
  dynamo: DynamoDBDocumentClient,
  tableName: string,
  items: readonly Record<string, unknown>[],
): Promise<Insertion[]> {
  const Statements = items.map((item) => {
    const entries = Object.entries(item).filter(([, value]) => value !== undefined);
    const fields = entries.map(([name]) => `'${name}': ?`).join(", ");
    return {
      Statement: `INSERT INTO "${tableName}" VALUE {${fields}}`,
      Parameters: entries.map(([, value]) => value),
    };
  });
  const { Responses = [] } = await dynamo.send(new BatchExecuteStatementCommand({ Statements }));
  return items.map((_, index) => {
    const { Error: error } = Responses[index] ?? {};
    if (error === undefined) return "inserted";
    return error.Code === "DuplicateItem" ? "exists" : "failed";
  });
}
