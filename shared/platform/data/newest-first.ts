import type { Table } from "./table.ts";

/**
 * Partitions of a list, among which ids spread its entries evenly. DynamoDB writes 1000 entries a second into each, and
 * would slow the table down beyond that. With another number, existing entries would not be found.
 */
const partitionCount = 8;

/** An entry of a list: what was created, and when, as `Date.toISOString` writes it. */
export interface Entry {
  readonly id: string;
  readonly createdAt: string;
}

const separator = "#";
const toKey = ({ id, createdAt }: Entry) => `${createdAt}${separator}${id}`;

function toEntry(key: string): Entry {
  const end = key.indexOf(separator);
  return { createdAt: key.slice(0, end), id: key.slice(end + separator.length) };
}

/** All partitions of a list whose entries are spread by `listed`. */
export const partitionsOf = (list: string): string[] =>
  Array.from({ length: partitionCount }, (_, number) => `${list}${separator}${number}`);

/**
 * Attributes that put an item into a list, for tables with the index `by-creation`; an item without them is in none.
 *
 * @param created.id a UUID
 * @param created.createdAt unix milliseconds; both must always be the same for an item
 */
export const listed = (list: string, { id, createdAt }: { id: string; createdAt: number }) => ({
  listedIn: `${list}${separator}${Number.parseInt(id.slice(0, 2), 16) % partitionCount}`,
  listedAt: toKey({ id, createdAt: new Date(createdAt).toISOString() }),
});

/**
 * Attributes that put an item into a list which is one partition, because it never gets a thousand entries a second.
 *
 * @param created.id any text
 * @param created.createdAt unix milliseconds; another time moves the item in the list
 */
export const listedTogether = (list: string, { id, createdAt }: { id: string; createdAt: number }) => ({
  listedIn: list,
  listedAt: toKey({ id, createdAt: new Date(createdAt).toISOString() }),
});

/** A page of a list that begins with the newest entry. */
export interface NewestPage {
  readonly limit: number;
  /** The last entry of the page before; absent: the first page. */
  readonly after?: Entry | undefined;
  /** Earliest time of creation, as in entries; absent: any. */
  readonly from?: string | undefined;
  /** Time before which everything was created; absent: any. */
  readonly to?: string | undefined;
}

/**
 * Read one page of a list by one query of each of its partitions, concurrently.
 * @returns `last` if another page follows: the entry after which it starts
 */
export async function newestFirst(
  table: Pick<Table<"accounts" | "teams" | "mail-suppressions">, "pageOfIndex">,
  partitions: readonly string[],
  { limit, after, from, to }: NewestPage,
): Promise<{ entries: Entry[]; last: Entry | undefined }> {
  const before = after === undefined ? to : toKey(after);
  const pages = await Promise.all(
    partitions.map((partition) =>
      table.pageOfIndex(partition, {
        ...(before !== undefined && {
          range: "listedAt < :before",
          ExpressionAttributeValues: { ":before": before },
        }),
        ScanIndexForward: false,
        Limit: limit + 1,
      }),
    ),
  );
  const keys = pages
    .flatMap(({ Items = [] }) => Items.map(({ listedAt }) => String(listedAt)))
    .filter((key) => from === undefined || key >= from)
    .toSorted()
    .reverse();
  const entries = keys.slice(0, limit).map(toEntry);
  return { entries, last: keys.length > limit ? entries.at(-1) : undefined };
}
