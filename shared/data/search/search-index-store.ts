import { type DynamoDBDocumentClient, GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { type Clock, toSeconds } from "../../clock.ts";
import type { Config } from "../../config.ts";
import { isAtRevision, StaleReadError, type Write } from "../conditions.ts";
import { type SearchDocument, searchDocument } from "./search-document.ts";
import { type EntryKey, entryKeysOf, partitionOf, type SearchList } from "./search-list.ts";

const recordKey = (userId: string) => ({ list: `user#${userId}`, entry: "entries" });

/** What the index holds of a user, and the revision of the account that it shows. */
const indexRecord = z.object({
  userId: z.uuid(),
  revision: z.int(),
  entries: z.array(z.object({ list: z.string(), entry: z.string() })),
});
export type IndexRecord = z.infer<typeof indexRecord>;

/** A part of a list, in its order. */
export interface ListPage {
  readonly documents: readonly SearchDocument[];
  /** The entry that was read last; undefined at the end of the list. */
  readonly end: string | undefined;
}

/**
 * How long the record of a user who is not listed any more says so. It keeps a worker that has read an older state of the
 * account from listing the user again, and no worker takes that long.
 */
const keepSeconds = 86_400;

/** Each word after a blank, so that ` an` is contained exactly where a word begins with it. */
const wordsText = z.string().transform((text) => text.split(" ").slice(1));
const entryItem = z.object({ ...searchDocument.shape, nameWords: wordsText });

/**
 * The search index. Access patterns: entries of a list that begin with a prefix, in order; the record of a user.
 * The record makes sure that the entries show the newest state of the account, however many workers are at it.
 */
export class SearchIndexStore {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #clock: Clock;

  constructor(client: DynamoDBDocumentClient, config: Config, clock: Clock) {
    this.#client = client;
    this.#tableName = config.tableName("search");
    this.#clock = clock;
  }

  /** Revision 0 without entries for a user whom the index does not know. */
  async recordOf(userId: string): Promise<IndexRecord> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.#tableName, Key: recordKey(userId), ConsistentRead: true }),
    );
    return Item === undefined ? { userId, revision: 0, entries: [] } : indexRecord.parse(Item);
  }

  /**
   * Replace the entries of a user, with none when there is no document. Rejected as `StaleReadError` when the record has
   * changed since it was read.
   */
  replace(record: IndexRecord, revision: number, document: SearchDocument | undefined): Write[] {
    const { userId } = record;
    const items = document === undefined ? [] : entryItemsOf(document);
    const isKept = ({ list, entry }: EntryKey) =>
      items.some((item) => item.list === list && item.entry === entry);
    const entries = items.map(({ list, entry }) => ({ list, entry }));
    const purgeAtSeconds = document === undefined ? toSeconds(this.#clock()) + keepSeconds : undefined;
    return [
      {
        item: {
          Put: {
            TableName: this.#tableName,
            Item: { ...recordKey(userId), userId, revision, entries, purgeAtSeconds },
            ...isAtRevision(record.revision),
          },
        },
        onRejected: () => new StaleReadError(`search index of ${userId}`),
      },
      ...items.map((Item): Write => ({ item: { Put: { TableName: this.#tableName, Item } } })),
      ...record.entries
        .filter((key) => !isKept(key))
        .map(({ list, entry }): Write => {
          return { item: { Delete: { TableName: this.#tableName, Key: { list, entry } } } };
        }),
    ];
  }

  /**
   * Users whom a list finds by words that begin with a prefix. Not read consistently: at half the price, and the index
   * follows the accounts with a delay anyway.
   *
   * @param options.after entry behind which to begin; it has the prefix, too
   * @param options.limit entries that are read, matching or not
   * @param options.otherWords each is the beginning of a word of the name, or of the handle
   */
  async read(
    list: SearchList,
    {
      prefix,
      after,
      limit,
      otherWords,
    }: { prefix: string; after?: string; limit: number; otherWords: readonly string[] },
  ): Promise<ListPage> {
    const partition = partitionOf(list, prefix);
    const filter = otherWords.map(
      (_, index) => `(contains(nameWords, :inName${index}) OR begins_with(handle, :inHandle${index}))`,
    );
    const { Items = [], LastEvaluatedKey } = await this.#client.send(
      new QueryCommand({
        TableName: this.#tableName,
        KeyConditionExpression: "#list = :list AND begins_with(entry, :prefix)",
        FilterExpression: filter.length > 0 ? filter.join(" AND ") : undefined,
        ExpressionAttributeNames: { "#list": "list" },
        ExpressionAttributeValues: {
          ":list": partition,
          ":prefix": prefix,
          ...Object.fromEntries(
            otherWords.flatMap((word, index) => [
              [`:inName${index}`, ` ${word}`],
              [`:inHandle${index}`, word],
            ]),
          ),
        },
        Limit: limit,
        ExclusiveStartKey: after === undefined ? undefined : { list: partition, entry: after },
      }),
    );
    return { documents: Items.map((item) => entryItem.parse(item)), end: LastEvaluatedKey?.entry };
  }
}

/** All index entries of a user, as they are stored. */
export const entryItemsOf = (document: SearchDocument) =>
  entryKeysOf(document).map((key) => ({
    ...key,
    ...document,
    nameWords: document.nameWords.map((word) => ` ${word}`).join(""),
  }));
