import * as z from "zod";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { declareItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";
import { type DirectoryEntry, directoryEntry } from "./directory-entry.ts";

const listOf = (teamId: string) => `directory#${teamId}`;

/** Members that one query reads: some 600 KB, in one page. */
const membersPerQuery = 2000;
/** Queries that run concurrently; larger parts take several pages. */
const maxQueries = 16;

declareItem(
  { table: "search", kind: "directory", key: ["directory#*", "*"], subject: { user: ["entry"] } },
  storedObject({ content: z.string() }),
);

/**
 * The directories of teams, one entry for each member. Access pattern: all members of a team. The entries are written
 * with the other index entries of their users, by `SearchIndexStore`.
 */
export class DirectoryStore {
  readonly #table: Table<"search">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "search");
  }

  /**
   * All members of a team, in any order. Large directories are read in several parts concurrently. The reads are
   * eventually consistent: that costs half, and the directory lags behind the accounts anyway.
   *
   * @param expected approximate number of members
   */
  async list(teamId: string, expected: number): Promise<DirectoryEntry[]> {
    const parts = rangesOf(Math.min(Math.ceil(expected / membersPerQuery), maxQueries));
    return (await Promise.all(parts.map((range) => this.#listRange(teamId, range)))).flat();
  }

  async #listRange(teamId: string, { from, to }: Range): Promise<DirectoryEntry[]> {
    const items = this.#table.query(listOf(teamId), {
      range: "entry BETWEEN :from AND :to",
      ExpressionAttributeValues: { ":from": from, ":to": to },
      ConsistentRead: false,
    });
    const entries: DirectoryEntry[] = [];
    for await (const { entry: userId, content } of items)
      entries.push(directoryEntry.parse({ userId, ...JSON.parse(String(content)) }));
    return entries;
  }
}

/** A part of all user ids, which are hexadecimal and random. */
interface Range {
  readonly from: string;
  readonly to: string;
}

function rangesOf(count: number): Range[] {
  const bounds = Array.from({ length: Math.max(count, 1) + 1 }, (_, part) =>
    Math.floor((part * 256) / Math.max(count, 1)),
  );
  // No id is as short as a bound, so none is in two ranges; all ids sort before the last bound.
  const texts = bounds.map((bound) => (bound === 256 ? "g" : bound.toString(16).padStart(2, "0")));
  return texts.slice(1).map((to, part) => ({ from: texts[part] ?? "", to }));
}

/** An entry as stored: its content as one text, which is smaller and faster to read than attributes. */
export const directoryItemOf = (teamId: string, { userId, ...content }: DirectoryEntry) => ({
  list: listOf(teamId),
  entry: userId,
  content: JSON.stringify(content),
});
