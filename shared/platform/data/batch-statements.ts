import { BatchExecuteStatementCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { chunks } from "../chunks.ts";

/** Maximum number of statements in one request to DynamoDB. */
const maxStatements = 25;

/** Outcome for one item; `failed` may be repeated. */
export type Insertion = "inserted" | "exists" | "failed";

/** Outcome for one element; `stale`: the item is gone, has another revision, or others were changing it. */
export type Removal = "removed" | "stale";

/** The first element of a list, to be removed from an item. */
export interface FirstElement {
  readonly key: Readonly<Record<string, string>>;
  readonly list: string;
  /** The item's `revision` as it was read; it grows by one. */
  readonly revision: number;
}

/** Outcome for one counter; `failed`: it is as it was. */
export type Counting = "counted" | "full" | "failed";

/** Amount to add to existing counters; new ones begin with it. */
export interface Addition {
  /** Names the attribute with the count. */
  readonly counter: string;
  readonly amount: number;
  /** Maximum of a counter. */
  readonly max: number;
  /** Further attributes of an item that does not exist yet. */
  readonly others: Readonly<Record<string, unknown>>;
}

interface Statement {
  readonly Statement: string;
  readonly Parameters: unknown[];
}

/**
 * Insert items with distinct keys, each independently of the others and only if its key is free. Costs as much as
 * single conditional puts, with a request for 25 of them.
 *
 * @returns the outcomes in the order of the items
 */
export async function batchInsert(
  dynamo: DynamoDBDocumentClient,
  { tableName, items }: { readonly tableName: string; readonly items: readonly Record<string, unknown>[] },
): Promise<Insertion[]> {
  const statements = items.map((item) => {
    const entries = Object.entries(item).filter(([, value]) => value !== undefined);
    const fields = entries.map(([name]) => `'${name}': ?`).join(", ");
    return {
      Statement: `INSERT INTO "${tableName}" VALUE {${fields}}`,
      Parameters: entries.map(([, value]) => value),
    };
  });
  const errors = await execute(dynamo, statements);
  return errors.map((error) => {
    if (error === undefined) return "inserted";
    return error === "DuplicateItem" ? "exists" : "failed";
  });
}

/**
 * Remove the first elements of lists in distinct items, each independently of the others and only while its item is as
 * it was read. Costs as much as single conditional updates, with a request for 25 of them. When an answer gets lost, an
 * element may be removed although this says `stale`.
 *
 * @returns the outcomes in the order of the elements
 */
export async function batchRemoveFirst(
  dynamo: DynamoDBDocumentClient,
  { tableName, elements }: { readonly tableName: string; readonly elements: readonly FirstElement[] },
): Promise<Removal[]> {
  const statements = elements.map(({ key, list, revision }) => {
    const keys = Object.entries(key);
    const where = [...keys.map(([name]) => `"${name}" = ?`), "revision = ?"].join(" AND ");
    return {
      Statement: `UPDATE "${tableName}" SET revision = ? REMOVE ${list}[0] WHERE ${where}`,
      Parameters: [revision + 1, ...keys.map(([, value]) => value), revision],
    };
  });
  const errors = await execute(dynamo, statements);
  return errors.map((error) => (error === undefined ? "removed" : "stale"));
}

/**
 * Add to counters in distinct items, each independently of the others and only up to a maximum: new ones are inserted,
 * then those that exist are updated. Costs as much as single conditional updates, plus a failed insert for each
 * existing counter, with a request for 25 of them. When an answer gets lost, the amount may be counted twice.
 *
 * @returns the outcomes in the order of the keys
 */
export async function batchCountUp(
  dynamo: DynamoDBDocumentClient,
  {
    tableName,
    keys,
    addition,
  }: { tableName: string; keys: readonly FirstElement["key"][]; addition: Addition },
): Promise<Counting[]> {
  const { counter, amount, max, others } = addition;
  if (amount > max) return keys.map(() => "full");
  const items = keys.map((key) => ({ ...key, ...others, [counter]: amount }));
  const insertions = await batchInsert(dynamo, { tableName, items });
  const present = keys.filter((_, index) => insertions[index] === "exists");
  const statements = present.map((key) => {
    const entries = Object.entries(key);
    const where = [...entries.map(([name]) => `"${name}" = ?`), `${counter} <= ?`].join(" AND ");
    return {
      Statement: `UPDATE "${tableName}" SET ${counter} = ${counter} + ? WHERE ${where}`,
      Parameters: [amount, ...entries.map(([, value]) => value), max - amount],
    };
  });
  const errors = await execute(dynamo, statements);
  const updates = new Map(present.map((key, index) => [key, toCounting(errors[index])]));
  return keys.map((key, index) => {
    if (insertions[index] === "inserted") return "counted";
    return updates.get(key) ?? "failed";
  });
}

function toCounting(error: string | undefined): Counting {
  if (error === undefined) return "counted";
  return error === "ConditionalCheckFailed" ? "full" : "failed";
}

/** @returns the code of each statement's error, in order; undefined for one that was executed */
async function execute(
  dynamo: DynamoDBDocumentClient,
  statements: readonly Statement[],
): Promise<(string | undefined)[]> {
  const batches = chunks(statements, maxStatements).map(async (Statements) => {
    const { Responses = [] } = await dynamo.send(
      new BatchExecuteStatementCommand({ Statements: [...Statements] }),
    );
    return Statements.map((_, index) => Responses[index]?.Error?.Code);
  });
  return (await Promise.all(batches)).flat();
}
