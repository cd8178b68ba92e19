import { isDeepStrictEqual } from "node:util";
import { accountItem } from "#shared/accounts/account.ts";
import { tombstoneOf } from "#shared/accounts/tombstone.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { declaredItems } from "#shared/platform/data/stored-item.ts";
import { type TableName, type TableSpec, tables } from "#shared/registry/tables.ts";
import { allItemKinds, kindOf, nameOf } from "../releases/item-kinds.ts";
import { type Item, isNamedIn, isOf, type Person } from "./person.ts";
import type { TableReader } from "./table-reader.ts";

/** What is left of one kind of items, and why, as declared with the kind. */
interface Rest {
  readonly count: number;
  readonly reason: string;
}

/** What is left of a user in all tables. */
export interface Certificate {
  readonly userId: string;
  /** ISO 8601. */
  readonly certifiedAt: string;
  readonly isErased: boolean;
  /** Whether the id is that of a deleted account: without, there never was one, or it is not deleted. */
  readonly hasTombstone: boolean;
  readonly itemsRead: number;
  /** Items of the user by kind. */
  readonly remaining: Readonly<Record<string, Rest>>;
  /** Items of others that name the user by the id, by kind. */
  readonly mentioning: Readonly<Record<string, Rest>>;
  /** Items that nothing reads any more, and that the store has yet to delete, by kind. */
  readonly expired: Readonly<Record<string, number>>;
  /** Items that must not be there, by kind. */
  readonly unexpected: Readonly<Record<string, number>>;
  readonly notCovered: readonly string[];
}

/** What the walk does not reach. */
const notCovered = [
  "backups of the tables and former versions of objects, which are deleted when their time is over",
  "logs, which name users by their ids until they are deleted",
];

/** Whether an item that may remain is what erasure leaves of it; other kinds are not looked into. */
const isEmptied: Readonly<Record<string, (item: Item) => boolean>> = {
  "accounts/account"(item) {
    const account = accountItem.parse(item);
    const kept = tombstoneOf(account);
    const { revision, sessionEpoch } = account;
    return isDeepStrictEqual(account, { ...kept, revision, sessionEpoch });
  },
  "accounts/sessions": ({ cookies }) => Object.keys(cookies ?? {}).length === 0,
  "search/user": ({ entries }) => (entries as unknown[]).length === 0,
  "sockets/socket-list": ({ sockets }) => sockets === undefined,
};

/**
 * Read every table for what is left of an erased user: items of theirs, and items of others that name them. It does not
 * trust keys, because an erasure removes those that lead to the rest.
 */
export async function certifyErasure(reader: TableReader, person: Person, now: number): Promise<Certificate> {
  await allItemKinds();
  const counts = {
    remaining: new Counts(),
    mentioning: new Counts(),
    expired: new Counts(),
    unexpected: new Counts(),
  };
  let itemsRead = 0;
  for (const table of Object.keys(tables) as TableName[]) {
    for await (const item of reader.scan(table)) {
      itemsRead++;
      const finding = examine(table, item, person, now);
      if (finding !== undefined) counts[finding.outcome].add(finding.kind);
    }
  }
  const { remaining, mentioning, expired, unexpected } = counts;
  const hasTombstone = remaining.has("accounts/account");
  return {
    userId: person.userId,
    certifiedAt: new Date(now).toISOString(),
    isErased: hasTombstone && unexpected.isEmpty,
    hasTombstone,
    itemsRead,
    remaining: remaining.withReasons("remains"),
    mentioning: mentioning.withReasons("mentions"),
    expired: expired.byKind(),
    unexpected: unexpected.byKind(),
    notCovered,
  };
}

type Outcome = "remaining" | "mentioning" | "expired" | "unexpected";

/** @returns undefined for an item that has nothing to do with the person */
function examine(
  table: TableName,
  item: Item,
  person: Person,
  now: number,
): { kind: string; outcome: Outcome } | undefined {
  const kind = kindOf(table, item);
  const isOwn = kind !== undefined && isOf(kind, item, person);
  if (!isOwn && !isNamedIn(item, person)) return undefined;
  const name = kind === undefined ? `${table}/unknown` : nameOf(kind);
  const finding = (outcome: Outcome) => ({ kind: name, outcome });
  if (isExpired(table, item, now)) return finding("expired");
  if (!isOwn) return finding(kind?.subject.mentions === undefined ? "unexpected" : "mentioning");
  const mayRemain = "remains" in kind.subject && (isEmptied[name]?.(item) ?? true);
  return finding(mayRemain ? "remaining" : "unexpected");
}

/** How many items there are of each kind. */
class Counts {
  readonly #counts = new Map<string, number>();

  add(kind: string): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  has(kind: string): boolean {
    return this.#counts.has(kind);
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  byKind(): Record<string, number> {
    return Object.fromEntries([...this.#counts].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  }

  withReasons(of: "remains" | "mentions"): Record<string, Rest> {
    const reasons = new Map(declaredItems().map((kind) => [nameOf(kind), Reflect.get(kind.subject, of)]));
    return Object.fromEntries(
      Object.entries(this.byKind()).map(([kind, count]) => [
        kind,
        { count, reason: String(reasons.get(kind)) },
      ]),
    );
  }
}

function isExpired(table: TableName, item: Item, now: number): boolean {
  const { timeToLive }: TableSpec = tables[table];
  const expiry = timeToLive === undefined ? undefined : item[timeToLive];
  return typeof expiry === "number" && expiry <= toSeconds(now);
}
