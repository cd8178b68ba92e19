import * as z from "zod";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import { onConditionFailed, type Write } from "#shared/platform/data/conditions.ts";
import type { Entry } from "#shared/platform/data/newest-first.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { declareItem, type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";
import type { DirectoryEntry } from "./directory-entry.ts";
import { directoryItemOf } from "./directory-store.ts";
import { type SearchDocument, searchDocument } from "./search-document.ts";
import { type EntryKey, entryKeysOf, partitionOf, type SearchList } from "./search-list.ts";

const recordKey = (userId: string) => ({ list: `user#${userId}`, entry: "entries" });
const passKey = (teamId: string) => ({ list: `team#${teamId}`, entry: "pass" });
const fullPassKey = { list: "everybody", entry: "pass" };
const refreshKey = (refreshId: string) => ({ list: `refresh#${refreshId}`, entry: "done" });

/** The keys of a user's entries, and how often they have been replaced. */
const indexRecord = storedItem(
  {
    table: "search",
    kind: "user",
    key: ["user#*", "entries"],
    subject: {
      user: "partition",
      remains: "no words, but the revision that refuses older updates, until it expires",
    },
  },
  storedObject({
    userId: z.uuid(),
    revision: z.int(),
    entries: z.array(storedObject({ list: z.string(), entry: z.string() })),
  }),
);
export type IndexRecord = Stored<typeof indexRecord>;

/** The state of a user in the index. */
export interface IndexContent {
  /** Undefined for a user whom search must not find. */
  readonly document?: SearchDocument;
  /** Whether members of other teams find the user. */
  readonly isOpen?: boolean;
  /** The user as a member of a team. */
  readonly member?: { readonly teamId: string; readonly entry: DirectoryEntry };
}

/** A page of a list. */
export interface ListPage {
  readonly documents: readonly SearchDocument[];
  /** The entry that was read last; undefined at the end of the list. */
  readonly end: string | undefined;
}

/**
 * How long a pass, and the record of a user who is no longer listed, are kept. The record keeps a worker that has read an older state from
 * listing the user again; no worker takes that long.
 */
const keepSeconds = 86_400;

/** Each word follows a space, so that a text contains ` an` exactly when one of its words starts with `an`. */
const wordsText = z.string().transform((text) => text.split(" ").slice(1));
const entryItem = storedItem(
  { table: "search", kind: "word", key: ["*", "*"], subject: { user: ["userId"] } },
  storedObject({ ...searchDocument.shape, nameWords: wordsText }),
);

declareItem(
  {
    table: "search",
    kind: "pass",
    key: ["team#*", "pass"],
    subject: { team: "partition", remains: "that its members were listed again, until it expires" },
  },
  storedObject({ passId: z.string() }),
);

declareItem(
  {
    table: "search",
    kind: "full-pass",
    key: [fullPassKey.list, fullPassKey.entry],
    subject: { nobody: "how far everybody has been listed again" },
  },
  storedObject({
    passId: z.string(),
    /** The last entry of the list of accounts that the pass has handled; empty at the beginning. */
    after: z.string(),
  }),
);
declareItem(
  {
    table: "search",
    kind: "refresh",
    key: ["refresh#*", "done"],
    subject: { nobody: "that changes until a time have been listed" },
  },
  storedObject({}),
);

/** A pass through all users has been overtaken by a newer one, or by a second copy of its message. */
export class OvertakenError extends Error {
  override readonly name = "OvertakenError";
}

/** How long the end of a refresh is remembered: longer than anybody waits for it. */
const keepRefreshSeconds = 600;

/** The progress of a pass through all users; undefined at its beginning. */
const placeOf = (after: Entry | undefined) => (after === undefined ? "" : `${after.createdAt}#${after.id}`);

/**
 * The search index. Access patterns: entries of a list that start with a prefix, in order; the record of a user; the
 * pass through a team, or through all users; a refresh.
 * The record ensures that the entries show the newest state even if several workers run concurrently.
 */
export class SearchIndexStore {
  readonly #table: Table<"search">;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "search");
    this.#clock = context.clock;
  }

  /** The record of a user; revision 0 without entries for a user whom the index does not know. */
  async recordOf(userId: string): Promise<IndexRecord> {
    const item = await this.#table.get(recordKey(userId));
    return item === undefined ? { userId, revision: 0, entries: [] } : indexRecord.parse(item);
  }

  /**
   * Replace the entries of a user, up to 35, and raise the revision of the record. Read the user after the record, so
   * that the newest state remains: this is rejected as `StaleReadError` when the record has changed since it was read.
   */
  replace(record: IndexRecord, { document, isOpen = false, member }: IndexContent): Write[] {
    const { userId } = record;
    const items = [
      ...(document === undefined ? [] : entryItemsOf(document, isOpen)),
      ...(member === undefined ? [] : [directoryItemOf(member.teamId, member.entry)]),
    ];
    const isKept = ({ list, entry }: EntryKey) =>
      items.some((item) => item.list === list && item.entry === entry);
    const entries = items.map(({ list, entry }) => ({ list, entry }));
    const purgeAtSeconds = items.length === 0 ? toSeconds(this.#clock()) + keepSeconds : undefined;
    return [
      this.#table.putWrite(
        { ...recordKey(userId), ...record, revision: record.revision + 1, entries, purgeAtSeconds },
        { atRevision: record.revision },
      ),
      ...items.map(({ list, entry, ...content }) => this.#table.setFieldsWrite({ list, entry }, content)),
      ...record.entries.filter((key) => !isKept(key)).map((key) => this.#table.deleteWrite(key)),
    ];
  }

  /** Begin a pass through the members of a team; one under way ends. */
  async beginPass(teamId: string, passId: string): Promise<void> {
    const purgeAtSeconds = toSeconds(this.#clock()) + keepSeconds;
    await this.#table.put({ ...passKey(teamId), passId, purgeAtSeconds });
  }

  /** Whether no other pass through the team has begun since. */
  async isNewestPass(teamId: string, passId: string): Promise<boolean> {
    return (await this.#table.get(passKey(teamId)))?.passId === passId;
  }

  /** End a pass, unless another one has begun. */
  async endPass(teamId: string, passId: string): Promise<void> {
    const condition = {
      ConditionExpression: "passId = :passId",
      ExpressionAttributeValues: { ":passId": passId },
    };
    await onConditionFailed(this.#table.take(passKey(teamId), condition), () => undefined);
  }

  /** Begin a pass through all users; one under way ends. */
  async beginFullPass(passId: string): Promise<void> {
    const purgeAtSeconds = toSeconds(this.#clock()) + keepSeconds;
    await this.#table.put({ ...fullPassKey, passId, after: placeOf(undefined), purgeAtSeconds });
  }

  /** Whether a pass through all users is the newest, and has come as far as this. */
  async isAt({ passId, after }: { passId: string; after: Entry | undefined }): Promise<boolean> {
    const pass = await this.#table.get(fullPassKey);
    return pass?.passId === passId && pass.after === placeOf(after);
  }

  /**
   * Record how far a pass through all users has come, or that it has ended. Rejected as `OvertakenError` unless the
   * pass is the newest and has come exactly to `after`, so that only one of two copies of a message continues.
   */
  advance({
    passId,
    after,
    next,
  }: {
    passId: string;
    after: Entry | undefined;
    next: Entry | undefined;
  }): Write {
    const condition = {
      ConditionExpression: "passId = :passId AND #after = :after",
      ExpressionAttributeNames: { "#after": "after" },
      ExpressionAttributeValues: { ":passId": passId, ":after": placeOf(after) },
      onRejected: () => new OvertakenError(),
    };
    if (next === undefined) return this.#table.deleteWrite(fullPassKey, condition);
    const purgeAtSeconds = toSeconds(this.#clock()) + keepSeconds;
    return this.#table.putWrite({ ...fullPassKey, passId, after: placeOf(next), purgeAtSeconds }, condition);
  }

  /** Note that a refresh is done. */
  async noteRefreshed(refreshId: string): Promise<void> {
    const purgeAtSeconds = toSeconds(this.#clock()) + keepRefreshSeconds;
    await this.#table.put({ ...refreshKey(refreshId), purgeAtSeconds });
  }

  /** Whether a refresh is done. */
  async isRefreshed(refreshId: string): Promise<boolean> {
    return (await this.#table.get(refreshKey(refreshId))) !== undefined;
  }

  /**
   * Read users in a list with a word that starts with a prefix. The read is eventually consistent: that costs half, and
   * the index lags behind the accounts anyway.
   *
   * @param options.after entry after which to start; it has the prefix, too
   * @param options.limit entries to read, matching or not
   * @param options.otherWords prefixes that a word of the name, or the handle, must start with
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
    const { Items = [], LastEvaluatedKey } = await this.#table.page(partition, {
      range: "begins_with(entry, :prefix)",
      FilterExpression: filter.length > 0 ? filter.join(" AND ") : undefined,
      ExpressionAttributeValues: {
        ":prefix": prefix,
        ...Object.fromEntries(
          otherWords.flatMap((word, index) => [
            [`:inName${index}`, ` ${word}`],
            [`:inHandle${index}`, word],
          ]),
        ),
      },
      ConsistentRead: false,
      Limit: limit,
      ExclusiveStartKey: after === undefined ? undefined : { list: partition, entry: after },
    });
    const documents = Items.map((item) => entryItem.parseOrAbsent(item)).filter((one) => one !== undefined);
    return { documents, end: LastEvaluatedKey?.entry };
  }
}

/**
 * All index entries by which search finds a user, as they are stored.
 * @param isOpen whether members of other teams find the user
 */
export const entryItemsOf = (document: SearchDocument, isOpen = false) =>
  entryKeysOf(document, isOpen).map((key) => ({
    ...key,
    ...document,
    nameWords: document.nameWords.map((word) => ` ${word}`).join(""),
  }));
