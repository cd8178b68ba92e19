import { randomUUID } from "node:crypto";
import {
  DeleteCommand,
  type DeleteCommandInput,
  type DynamoDBDocumentClient,
  type Paginator,
  PutCommand,
  type PutCommandInput,
  paginateQuery,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
  ScanCommand,
  type ScanCommandInput,
  type ScanCommandOutput,
  UpdateCommand,
  type UpdateCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { type TableSpec, tables } from "#shared/registry/tables.ts";
import type { TableName } from "../product.ts";
import { readItem } from "./batch-read.ts";
import {
  type Addition,
  batchCountUp,
  batchInsert,
  batchRemoveFirst,
  type Counting,
  type FirstElement,
  type Insertion,
  type Removal,
} from "./batch-statements.ts";
import { batchDelete, batchPut } from "./batch-write.ts";
import { onConditionFailed, StaleReadError, type Write } from "./conditions.ts";
import type { TableContext } from "./store-context.ts";
import { withUnknownFields } from "./unknown-fields.ts";

type Spec<Name extends TableName> = (typeof tables)[Name];
type SortKey<Name extends TableName> =
  Spec<Name> extends { sortKey: infer Attribute extends string } ? Attribute : never;

/** Primary key of an item. */
export type Key<Name extends TableName> = Readonly<
  Record<Spec<Name>["partitionKey"] | SortKey<Name>, string>
>;

/** An item as DynamoDB returns it, to be parsed by its store. */
export type Item = Record<string, unknown>;

/** The rest of a command's input; table, key and item are given separately. */
type Expressions<Input> = Omit<Input, "TableName" | "Key" | "Item"> & AtRevision;
type Condition = AtRevision &
  Pick<PutCommandInput, "ConditionExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues">;
type OnRejected = Pick<Write, "onRejected">;
type OnceUpdate = Condition & Readonly<Record<"UpdateExpression" | "ConditionExpression", string>>;

/** A condition, besides any other, that the item still has the revision that was read. */
interface AtRevision {
  /** 0: there was no item; undefined: any revision. */
  readonly atRevision?: number | undefined;
}

/** The expressions of a condition, with that of its revision. */
function toExpressions<Given extends Condition>({ atRevision, ...given }: Given): Omit<Given, "atRevision"> {
  const { ConditionExpression: other } = given;
  const values = withUnknownFields(given.ExpressionAttributeValues);
  if (atRevision === undefined)
    return values === undefined ? given : { ...given, ExpressionAttributeValues: values };
  const isAtRevision = atRevision === 0 ? "attribute_not_exists(revision)" : "revision = :revision";
  return {
    ...given,
    ConditionExpression: other === undefined ? isAtRevision : `${isAtRevision} AND (${other})`,
    ExpressionAttributeValues: atRevision === 0 ? values : { ...values, ":revision": atRevision },
  };
}

/** A query of one partition. */
export type Query = Omit<QueryCommandInput, "TableName" | "KeyConditionExpression"> & {
  /** Condition on the sort key. */
  readonly range?: string;
};

/** A query that reads page after page. */
type PagedQuery = Query & {
  /** Size of the first page, for queries that nearly always need no more. */
  readonly firstLimit?: number;
};

/**
 * One table, as its stores use it. Reads are consistent unless a query says otherwise. Reads by key that begin in the
 * same turn of the event loop share a request, whichever stores they are of; so to read several items, start every read
 * before awaiting any. Methods whose names end in `Write` send nothing: they return a write for a transaction.
 */
export class Table<Name extends TableName> {
  readonly name: string;
  readonly #dynamo: DynamoDBDocumentClient;
  readonly #partitionKey: string;
  readonly #index: TableSpec["index"];

  constructor({ dynamo, config }: TableContext, name: Name) {
    this.name = config.tableName(name);
    this.#dynamo = dynamo;
    const { partitionKey, index }: TableSpec = tables[name];
    this.#partitionKey = partitionKey;
    this.#index = index;
  }

  get(key: Key<Name>): Promise<Item | undefined> {
    return readItem(this.#dynamo, this.name, key);
  }

  /** Items by their keys, in the same order; keys without an item are left out. */
  async getMany(keys: readonly Key<Name>[]): Promise<Item[]> {
    const items = await Promise.all(keys.map((key) => this.get(key)));
    return items.filter((item) => item !== undefined);
  }

  /** All items that a query of a partition finds, read page by page. */
  async *query(partition: string, { firstLimit, ...query }: PagedQuery = {}): AsyncGenerator<Item> {
    let start = query.ExclusiveStartKey;
    if (firstLimit !== undefined) {
      const { Items = [], LastEvaluatedKey } = await this.page(partition, { ...query, Limit: firstLimit });
      yield* Items;
      if (LastEvaluatedKey === undefined) return;
      start = LastEvaluatedKey;
    }
    const pages = this.pages(partition, { ...query, ExclusiveStartKey: start });
    for await (const { Items = [] } of pages) yield* Items;
  }

  pages(partition: string, query?: Query): Paginator<QueryCommandOutput> {
    return paginateQuery({ client: this.#dynamo }, this.#toInput(partition, query));
  }

  /** One page, read by a single request. */
  page(partition: string, query?: Query): Promise<QueryCommandOutput> {
    return this.#dynamo.send(new QueryCommand(this.#toInput(partition, query)));
  }

  /** One page of a partition of the table's index, which lags behind writes by a moment. */
  pageOfIndex(partition: string, query: Query): Promise<QueryCommandOutput> {
    if (this.#index === undefined) throw new Error(`The table ${this.name} has no index`);
    const { name: IndexName, partitionKey } = this.#index;
    const input = this.#toInput(partition, { IndexName, ConsistentRead: false, ...query }, partitionKey);
    return this.#dynamo.send(new QueryCommand(input));
  }

  /**
   * One page of all items, ordered only within each partition. For background work on small tables: nothing that
   * anybody waits for may depend on the size of a table.
   */
  async scanPage(
    scan: Pick<
      ScanCommandInput,
      | "ConsistentRead"
      | "ExclusiveStartKey"
      | "ExpressionAttributeNames"
      | "ExpressionAttributeValues"
      | "FilterExpression"
      | "ProjectionExpression"
    >,
  ): Promise<{ items: Item[]; next: ScanCommandOutput["LastEvaluatedKey"] }> {
    const page = await this.#dynamo.send(new ScanCommand({ TableName: this.name, ...scan }));
    return { items: page.Items ?? [], next: page.LastEvaluatedKey };
  }

  async put(item: Key<Name> & Item, condition: Expressions<PutCommandInput> = {}): Promise<void> {
    await this.#dynamo.send(
      new PutCommand({ TableName: this.name, Item: withUnknownFields(item), ...toExpressions(condition) }),
    );
  }

  /** @returns the attributes that `ReturnValues` asks for */
  async update(key: Key<Name>, update: Expressions<UpdateCommandInput>): Promise<Item | undefined> {
    const command = new UpdateCommand({ TableName: this.name, Key: key, ...toExpressions(update) });
    return (await this.#dynamo.send(command)).Attributes;
  }

  /**
   * Update an item under a condition, exactly once: when the SDK repeats a request whose answer was lost, the
   * repetition changes nothing and gets the first answer. For updates that a repetition would apply twice, or would
   * find refused.
   *
   * @param update.UpdateExpression starts with `SET`
   * @param update.ConditionExpression has no `OR` outside parentheses
   * @param onRejected gets the item that does not meet the condition, if any
   * @returns the item after the update, undefined when the condition does not hold
   */
  updateOnce(
    key: Key<Name>,
    { UpdateExpression, ConditionExpression, ExpressionAttributeValues, ...names }: OnceUpdate,
    onRejected?: (existing: Item | undefined) => void,
  ): Promise<Item | undefined> {
    const writeId = randomUUID();
    const updating = this.update(key, {
      UpdateExpression: UpdateExpression.replace(/^SET /, "SET writeId = :writeId, "),
      ConditionExpression: `${ConditionExpression} AND (attribute_not_exists(writeId) OR writeId <> :writeId)`,
      ExpressionAttributeValues: { ...ExpressionAttributeValues, ":writeId": writeId },
      ReturnValues: "ALL_NEW",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      ...names,
    });
    return onConditionFailed(updating, (existing) => {
      if (existing?.writeId === writeId) return existing;
      onRejected?.(existing);
      return undefined;
    });
  }

  /**
   * Replace an item, exactly once, if it still has the revision that was read, 0 if there was none; see `updateOnce`.
   * @throws StaleReadError
   */
  replaceOnce(item: Key<Name> & Item & { readonly revision: number }, atRevision: number): Promise<void> {
    const writeId = randomUUID();
    const putting = this.put(
      { ...item, writeId },
      { atRevision, ReturnValuesOnConditionCheckFailure: "ALL_OLD" },
    );
    return onConditionFailed(putting, (existing) => {
      if (existing?.writeId !== writeId) throw new StaleReadError(this.name);
    });
  }

  /**
   * Get an item exclusively: only one of several concurrent calls gets it, even if its answer is lost and the SDK
   * repeats the request. The item stays until it expires or is put again.
   */
  takeOnce(key: Key<Name>): Promise<Item | undefined> {
    return this.updateOnce(key, {
      UpdateExpression: "SET isTaken = :true",
      ConditionExpression: "attribute_exists(#partition) AND attribute_not_exists(isTaken)",
      ExpressionAttributeNames: { "#partition": this.#partitionKey },
      ExpressionAttributeValues: { ":true": true },
    });
  }

  /** An item that `takeOnce` would return. */
  async getUntaken(key: Key<Name>): Promise<Item | undefined> {
    const item = await this.get(key);
    return item?.isTaken === true ? undefined : item;
  }

  async delete(key: Key<Name>): Promise<void> {
    await this.#dynamo.send(new DeleteCommand({ TableName: this.name, Key: key }));
  }

  /** Delete and return an item; one of several concurrent calls gets it. */
  async take(key: Key<Name>, condition: Expressions<DeleteCommandInput> = {}): Promise<Item | undefined> {
    const remove = new DeleteCommand({
      TableName: this.name,
      Key: key,
      ReturnValues: "ALL_OLD",
      ...toExpressions(condition),
    });
    return (await this.#dynamo.send(remove)).Attributes;
  }

  /** Delete items by distinct keys, in any order and not atomically; keys without an item are ignored. */
  deleteMany(keys: readonly Key<Name>[]): Promise<void> {
    return batchDelete(this.#dynamo, { tableName: this.name, keys });
  }

  /** Insert items with distinct keys, each only if its key is free. @returns the outcomes in the order of the items */
  insertMany(items: readonly (Key<Name> & Item)[]): Promise<Insertion[]> {
    return batchInsert(this.#dynamo, { tableName: this.name, items: items.map(withUnknownFields) });
  }

  /** Remove the first elements of lists in distinct items. @returns the outcomes in the order of the elements */
  removeFirstOfEach(elements: readonly (FirstElement & { readonly key: Key<Name> })[]): Promise<Removal[]> {
    return batchRemoveFirst(this.#dynamo, { tableName: this.name, elements });
  }

  /** Add to counters in distinct items; see `batchCountUp`. @returns the outcomes in the order of the keys */
  countUpEach(keys: readonly Key<Name>[], addition: Addition): Promise<Counting[]> {
    return batchCountUp(this.#dynamo, { tableName: this.name, keys, addition });
  }

  /** Put items with distinct keys, in any order and not atomically. */
  putMany(items: readonly (Key<Name> & Item)[]): Promise<void> {
    return batchPut(this.#dynamo, { tableName: this.name, items: items.map(withUnknownFields) });
  }

  putWrite(item: Key<Name> & Item, { onRejected, ...condition }: Condition & OnRejected = {}): Write {
    const stored = withUnknownFields(item);
    return { item: { Put: { TableName: this.name, Item: stored, ...toExpressions(condition) } }, onRejected };
  }

  updateWrite(
    key: Key<Name>,
    { onRejected, ...update }: Condition & { readonly UpdateExpression: string } & OnRejected,
  ): Write {
    return { item: { Update: { TableName: this.name, Key: key, ...toExpressions(update) } }, onRejected };
  }

  /**
   * Write all fields of an item that this version knows, and remove undefined ones; other fields stay. For items that
   * are built from other data, not from the read item.
   */
  setFieldsWrite(
    key: Key<Name>,
    fields: Item,
    { ExpressionAttributeNames, ExpressionAttributeValues, ...condition }: Condition & OnRejected = {},
  ): Write {
    const all = Object.entries(fields).map(([name, value], index) => ({ name, value, index }));
    const [set, removed] = [
      all.filter(({ value }) => value !== undefined),
      all.filter(({ value }) => value === undefined),
    ];
    return this.updateWrite(key, {
      UpdateExpression: [
        ...(set.length > 0
          ? [`SET ${set.map(({ index }) => `#field${index} = :field${index}`).join(", ")}`]
          : []),
        ...(removed.length > 0 ? [`REMOVE ${removed.map(({ index }) => `#field${index}`).join(", ")}`] : []),
      ].join(" "),
      ExpressionAttributeNames: {
        ...ExpressionAttributeNames,
        ...Object.fromEntries(all.map(({ name, index }) => [`#field${index}`, name])),
      },
      ...((set.length > 0 || ExpressionAttributeValues !== undefined) && {
        ExpressionAttributeValues: {
          ...ExpressionAttributeValues,
          ...Object.fromEntries(set.map(({ value, index }) => [`:field${index}`, value])),
        },
      }),
      ...condition,
    });
  }

  deleteWrite(key: Key<Name>, { onRejected, ...condition }: Condition & OnRejected = {}): Write {
    return { item: { Delete: { TableName: this.name, Key: key, ...toExpressions(condition) } }, onRejected };
  }

  /** Condition on an item that the transaction does not change. */
  requireWrite(
    key: Key<Name>,
    {
      onRejected,
      ...condition
    }: Condition & OnRejected & ({ readonly ConditionExpression: string } | { readonly atRevision: number }),
  ): Write {
    const expressions = toExpressions(condition) as Condition & { readonly ConditionExpression: string };
    return { item: { ConditionCheck: { TableName: this.name, Key: key, ...expressions } }, onRejected };
  }

  #toInput(
    partition: string,
    { range, ExpressionAttributeNames, ExpressionAttributeValues, ...query }: Query = {},
    partitionKey = this.#partitionKey,
  ): QueryCommandInput {
    return {
      TableName: this.name,
      KeyConditionExpression:
        range === undefined ? "#partition = :partition" : `#partition = :partition AND ${range}`,
      ExpressionAttributeNames: { ...ExpressionAttributeNames, "#partition": partitionKey },
      ExpressionAttributeValues: { ...ExpressionAttributeValues, ":partition": partition },
      ConsistentRead: true,
      ...query,
    };
  }
}
