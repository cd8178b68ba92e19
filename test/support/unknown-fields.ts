import { isDeepStrictEqual } from "node:util";
import { type AttributeValue, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { kindOf } from "#lib/releases/item-kinds.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";
import { mapObjects } from "./stored-shapes.ts";

/** A field that no version knows, in every object that is stored. */
export const unknownField = "unknownToThisVersion";

/** Items and fields that are replaced as a whole on purpose, so that nothing of the former value survives. */
const replaced: readonly string[] = [
  // It becomes another identity.
  "accounts/account.samlIdentity",
  // A client uploads all of them anew.
  "clients/prekeys",
  "clients/last-prekey",
  // It becomes another value.
  "properties/value",
  // Members who join, perhaps again.
  "conversations/list-entry, put with no condition",
  "conversations/member, put with no condition",
  // The former sessions belonged to another legal hold device.
  "accounts/sessions, put with no condition",
  // A lock that the same request has taken, and nobody else can have changed.
  "clients/legal-hold-device, put with version = :known",
  // Uploaded again.
  "key-packages/key-package",
  // It becomes another nonce.
  "clients/nonce",
  // Keys, of which there is nothing more to know.
  "search/user.entries",
  // Another pass, and a mark that is replaced by a weaker one.
  "search/pass",
  "sockets/device-marker",
];

type Item = Record<string, unknown>;
type Attributes = Record<string, AttributeValue>;

interface Put {
  Item: Attributes;
  readonly ConditionExpression?: string;
}
interface Change {
  readonly tableName: string;
  readonly put?: Put;
  readonly deletedKey?: Attributes;
}

interface PutInput extends Put {
  readonly TableName: string;
}
interface DeleteInput {
  readonly TableName: string;
  readonly Key: Attributes;
}
interface Body extends PutInput, DeleteInput {
  readonly ExpressionAttributeValues?: Attributes;
  readonly TransactItems: readonly { readonly Put?: PutInput; readonly Delete?: DeleteInput }[];
  readonly RequestItems: Readonly<
    Record<
      string,
      { readonly Keys?: readonly Attributes[] } & readonly {
        readonly PutRequest?: Put;
        readonly DeleteRequest?: { readonly Key: Attributes };
      }[]
    >
  >;
}

interface Request {
  body?: unknown;
  readonly headers: Record<string, string>;
}
interface Transport {
  handle(
    request: Request,
    options?: unknown,
  ): Promise<{ readonly response: { readonly statusCode: number } }>;
}

/**
 * Let everything that this process stores look as if a newer version had stored it first: each object of an item that is
 * put gets a field that this version does not know. What an update sets stays as it is.
 *
 * @param prefix of the names of the tables
 * @param report is told of each object that is stored again without the field
 * @returns a function that ends it
 */
export function storeUnknownFields(prefix: string, report: (loss: string) => void): () => void {
  const stored = new Map<string, { readonly item: Item; readonly storedAt: number }>();
  const readAt = new Map<string, number>();
  let time = 0;
  const dynamo = new DynamoDBClient({ region: "local" });
  const transport: Transport = Object.getPrototypeOf(dynamo.config.requestHandler);
  dynamo.destroy();
  const { handle } = transport;
  transport.handle = async function withUnknownFields(this: Transport, request, options) {
    const [service = "", action] = request.headers["x-amz-target"]?.split(".") ?? [];
    if (!service.startsWith("DynamoDB")) return handle.call(this, request, options);
    const body = parseCall(textOf(request.body));
    for (const partition of readsIn(action, body)) readAt.set(partition, ++time);
    const changes = changesIn(action, body).filter(({ tableName }) => tableName.startsWith(`${prefix}-`));
    const outcomes = changes.map(({ tableName, put, deletedKey = {} }) => {
      const key = keyOf(tableName, put?.Item ?? deletedKey);
      if (put === undefined) return { key, losses: [] };
      const { item: former, storedAt = 0 } = stored.get(key) ?? {};
      // An item that a process puts again without having read it is as the process wrote it: another version would have
      // changed the revision.
      const wasRead = (readAt.get(partitionOf(tableName, put.Item)) ?? 0) > storedAt;
      const before = creates(put) || !wasRead ? undefined : former;
      const { item, losses } = mark(tableName, unmarshall(put.Item), before);
      put.Item = marshall(item, { removeUndefinedValues: true });
      const condition = put.ConditionExpression ?? "no condition";
      const texts = losses.map((loss) => `${loss}, put with ${condition}`);
      return { key, item, losses: texts.filter((text) => !replaced.some((one) => text.startsWith(one))) };
    });
    if (outcomes.length > 0) {
      const text = JSON.stringify(body, toBase64);
      request.body = text;
      request.headers["content-length"] = String(Buffer.byteLength(text));
    }
    const answer = await handle.call(this, request, options);
    if (answer.response.statusCode !== 200) return answer;
    for (const { key, item, losses } of outcomes) {
      for (const loss of losses) report(loss);
      if (item === undefined) stored.delete(key);
      else stored.set(key, { item, storedAt: ++time });
    }
    return answer;
  };
  return () => {
    transport.handle = handle;
  };
}

/** Whether nothing is replaced. */
const creates = ({ ConditionExpression = "" }: Put) =>
  /^attribute_not_exists\([^)]*\)$/.test(ConditionExpression);

const textOf = (body: unknown): string =>
  body instanceof Uint8Array
    ? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
    : String(body);

/** The body of a call of DynamoDB. */
export const parseCall = (text: string): Body => JSON.parse(text, reviveBytes);

/** Bytes are base64 in a call. */
const reviveBytes = (key: string, value: unknown): unknown =>
  key === "B" && typeof value === "string" ? Buffer.from(value, "base64") : value;

function toBase64(this: unknown, key: string, value: unknown): unknown {
  const bytes: unknown = Reflect.get(this as object, key);
  return bytes instanceof Uint8Array ? Buffer.from(bytes).toString("base64") : value;
}

/** The item that a call puts, to be changed in place, and the keys that it deletes. */
export function changesIn(action: string | undefined, body: Body): Change[] {
  const putOf = (put: PutInput): Change => ({ tableName: put.TableName, put });
  const deletionOf = ({ TableName, Key }: DeleteInput): Change => ({ tableName: TableName, deletedKey: Key });
  switch (action) {
    case "PutItem":
      return [putOf(body)];
    case "DeleteItem":
      return [deletionOf(body)];
    case "TransactWriteItems":
      return body.TransactItems.flatMap(({ Put, Delete }) => [
        ...(Put === undefined ? [] : [putOf(Put)]),
        ...(Delete === undefined ? [] : [deletionOf(Delete)]),
      ]);
    case "BatchWriteItem":
      return Object.entries(body.RequestItems).flatMap(([tableName, requests]) =>
        requests.map(({ PutRequest: put, DeleteRequest }) => ({
          tableName,
          ...(put === undefined ? { deletedKey: DeleteRequest?.Key ?? {} } : { put }),
        })),
      );
    default:
      return [];
  }
}

const longestFirst = (Object.keys(tables) as TableName[]).toSorted((one, other) => other.length - one.length);
/** The table of a stack, by its full name. */
export const tableOf = (name: string) => longestFirst.find((table) => name.endsWith(`-${table}`));

function keyOf(tableName: string, attributes: Attributes): string {
  const table = tableOf(tableName);
  if (table === undefined) return tableName;
  const { partitionKey, sortKey = "" }: { partitionKey: string; sortKey?: string } = tables[table];
  const item = unmarshall(attributes);
  return JSON.stringify([tableName, item[partitionKey], item[sortKey]]);
}

function partitionOf(tableName: string, attributes: Attributes): string {
  const table = tableOf(tableName);
  const partition = table && unmarshall({ key: attributes[tables[table].partitionKey] ?? { S: "" } }).key;
  return JSON.stringify([tableName, partition]);
}

/** The partitions from which a call reads. */
function readsIn(action: string | undefined, body: Body): string[] {
  const { TableName, Key = {}, ExpressionAttributeValues = {} } = body;
  switch (action) {
    case "GetItem":
    case "UpdateItem":
      return [partitionOf(TableName, Key)];
    case "Query":
      return [
        JSON.stringify([
          TableName,
          unmarshall({ key: ExpressionAttributeValues[":partition"] ?? { S: "" } }).key,
        ]),
      ];
    case "BatchGetItem":
      return Object.entries(body.RequestItems).flatMap(([name, { Keys = [] }]) =>
        Keys.map((key) => partitionOf(name, key)),
      );
    default:
      return [];
  }
}

function mark(tableName: string, item: Item, before: Item | undefined): { item: Item; losses: string[] } {
  const table = tableOf(tableName);
  const kind = table && kindOf(table, item);
  if (kind === undefined) return { item, losses: [] };
  const former = new Map<string, Item>();
  mapObjects(kind.schema, before, (object, path) => {
    former.set(path, object);
    return object;
  });
  const losses: string[] = [];
  const marked = mapObjects(kind.schema, item, (object, path) => {
    const known = former.get(path);
    const isKnown = known?.[unknownField] !== undefined && (path === "" || isSameButMarks(known, object));
    if (isKnown && object[unknownField] === undefined) losses.push(`${kind.table}/${kind.kind}${path}`);
    return { ...object, [unknownField]: "kept" };
  });
  // A tombstone keeps nothing of a person or a team.
  return { item: marked as Item, losses: item.status === "deleted" ? [] : losses };
}

const isSameButMarks = (one: Item, other: Item) => isDeepStrictEqual(withoutMarks(one), withoutMarks(other));

/** A copy without what is unknown, as JSON. */
const withoutMarks = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, inner) => (key === unknownField ? undefined : inner)));
