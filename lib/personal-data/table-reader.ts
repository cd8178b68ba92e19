import { type DynamoDBDocumentClient, paginateQuery, paginateScan } from "@aws-sdk/lib-dynamodb";
import { type TableName, type TableSpec, tables } from "#shared/registry/tables.ts";
import type { Item } from "./person.ts";

/** Some items of a table: those of a partition whose sort keys begin with a text. */
export interface Place {
  readonly table: TableName;
  readonly partition: string;
  readonly sort?: string;
}

/** Reads the tables of a stage, with items of any kind. */
export class TableReader {
  readonly #dynamo: DynamoDBDocumentClient;
  readonly #names: ReadonlyMap<TableName, string>;

  constructor(dynamo: DynamoDBDocumentClient, names: ReadonlyMap<TableName, string>) {
    this.#dynamo = dynamo;
    this.#names = names;
  }

  async *query({ table, partition, sort = "" }: Place): AsyncGenerator<Item> {
    const { partitionKey, sortKey }: TableSpec = tables[table];
    const isSorted = sortKey !== undefined && sort !== "";
    const pages = paginateQuery(
      { client: this.#dynamo },
      {
        TableName: this.#names.get(table),
        ConsistentRead: true,
        KeyConditionExpression: isSorted
          ? "#partition = :partition AND begins_with(#sort, :sort)"
          : "#partition = :partition",
        ExpressionAttributeNames: { "#partition": partitionKey, ...(isSorted && { "#sort": sortKey }) },
        ExpressionAttributeValues: { ":partition": partition, ...(isSorted && { ":sort": sort }) },
      },
    );
    for await (const { Items = [] } of pages) yield* Items;
  }

  /** Read a whole table. Each item consumes capacity that requests also need. */
  async *scan(table: TableName): AsyncGenerator<Item> {
    const pages = paginateScan(
      { client: this.#dynamo },
      { TableName: this.#names.get(table), ConsistentRead: true },
    );
    for await (const { Items = [] } of pages) yield* Items;
  }
}
