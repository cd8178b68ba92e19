import { BatchGetCommand, type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { chunks } from "../chunks.ts";
import { jitter } from "./conditions.ts";
import { ThrottledError } from "./store-errors.ts";

type Key = Readonly<Record<string, string>>;

/** A pending read. */
interface PendingRead {
  readonly tableName: string;
  readonly key: Key;
  readonly answer: PromiseWithResolvers<Record<string, unknown> | undefined>;
}

/** Maximum number of keys in one request to DynamoDB. */
const maxKeys = 100;
/** Attempts at one request: answers of up to 16 MB take three for the largest items. */
const maxAttempts = 10;

/** Reads about to be sent, by table and key as text. */
const gathered = new WeakMap<DynamoDBDocumentClient, Map<string, PendingRead>>();

/**
 * Reads an item consistently. All reads of the same turn of the event loop share a request, because most of the cost is
 * per request, not per item.
 */
export function readItem(
  dynamo: DynamoDBDocumentClient,
  tableName: string,
  key: Key,
): Promise<Record<string, unknown> | undefined> {
  let reads = gathered.get(dynamo);
  if (reads === undefined) {
    reads = new Map();
    gathered.set(dynamo, reads);
    setImmediate(() => sendGathered(dynamo));
  }
  const name = nameOf(tableName, key);
  const read = reads.get(name) ?? { tableName, key, answer: Promise.withResolvers() };
  reads.set(name, read);
  return read.answer.promise;
}

const nameOf = (tableName: string, key: Key) =>
  JSON.stringify([
    tableName,
    ...Object.keys(key)
      .toSorted()
      .map((attribute) => key[attribute]),
  ]);

function sendGathered(dynamo: DynamoDBDocumentClient): void {
  const reads = gathered.get(dynamo);
  gathered.delete(dynamo);
  for (const batch of chunks([...(reads ?? [])], maxKeys)) void readBatch(dynamo, new Map(batch));
}

/** Answers each read as soon as its item has arrived; only missing items are requested again. */
async function readBatch(dynamo: DynamoDBDocumentClient, pending: Map<string, PendingRead>): Promise<void> {
  try {
    for (let attempt = 1; pending.size > 0; attempt++) {
      if (attempt > maxAttempts) throw new ThrottledError("keys unread");
      if (attempt > 1) await jitter(attempt - 1);
      await readOnce(dynamo, pending);
    }
  } catch (error) {
    for (const { answer } of pending.values()) answer.reject(error);
  }
}

async function readOnce(dynamo: DynamoDBDocumentClient, pending: Map<string, PendingRead>): Promise<void> {
  const reads = [...pending];
  const [first] = reads;
  if (first !== undefined && reads.length === 1) {
    const [name, { tableName, key, answer }] = first;
    const get = new GetCommand({ TableName: tableName, Key: key, ConsistentRead: true });
    answer.resolve((await dynamo.send(get)).Item);
    pending.delete(name);
    return;
  }
  const keysByTable = new Map<string, Key[]>();
  for (const [, { tableName, key }] of reads) {
    const keys = keysByTable.get(tableName);
    if (keys === undefined) keysByTable.set(tableName, [key]);
    else keys.push(key);
  }
  const RequestItems = Object.fromEntries(
    [...keysByTable].map(([tableName, Keys]) => [tableName, { Keys, ConsistentRead: true }]),
  );
  const { Responses = {}, UnprocessedKeys = {} } = await dynamo.send(new BatchGetCommand({ RequestItems }));
  const found = new Map<string, Record<string, unknown>>();
  for (const [tableName, items] of Object.entries(Responses)) {
    const attributes = Object.keys(keysByTable.get(tableName)?.[0] ?? {});
    for (const item of items) found.set(nameOf(tableName, pick(item, attributes)), item);
  }
  const unread = new Set(
    Object.entries(UnprocessedKeys).flatMap(([tableName, { Keys = [] }]) =>
      Keys.map((key) => nameOf(tableName, key)),
    ),
  );
  for (const [name, { answer }] of reads) {
    if (unread.has(name)) continue;
    answer.resolve(found.get(name));
    pending.delete(name);
  }
}

const pick = (item: Record<string, unknown>, attributes: readonly string[]): Key =>
  Object.fromEntries(attributes.map((attribute) => [attribute, String(item[attribute])]));
