import { isDeepStrictEqual } from "node:util";
import { accountItem, tombstoneOf } from "#shared/accounts/account.ts";
import { assetItem, removalOf } from "#shared/assets/asset.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { declaredItems } from "#shared/platform/data/stored-item.ts";
import { committedAtOf } from "#shared/platform/messaging/outbox-item.ts";
import { type BucketName, buckets } from "#shared/registry/buckets.ts";
import { type TableName, type TableSpec, tables } from "#shared/registry/tables.ts";
import { teamItem, teamTombstone } from "#shared/teams/team.ts";
import { allItemKinds, kindOf, nameOf } from "../releases/item-kinds.ts";
import type { BucketReader } from "./bucket-reader.ts";
import { type Item, isNamedIn, isOf, type Names } from "./person.ts";
import type { TableReader } from "./table-reader.ts";
import { type BucketFindings, walkBuckets } from "./walk-buckets.ts";

/** The remaining items of one kind, and the reason that is declared with the kind. */
interface Rest {
  readonly count: number;
  /** Of objects. */
  readonly bytes?: number;
  /** Whether it contains no data of the person: a tombstone, or an empty list. */
  readonly isEmptied?: true;
  readonly reason: string;
}

/** The subject of a certificate: a user, or a team with the members named in its archive. */
export interface Erased {
  readonly userIds: readonly string[];
  readonly teamId?: string;
  readonly names: Names;
}

/** The data of users and teams that remains in all tables and buckets. */
export interface Certificate {
  /** ISO 8601. */
  readonly certifiedAt: string;
  /** Whether each id has a tombstone, and only items remain that are declared to remain or to mention it. */
  readonly isAsDeclared: boolean;
  /** Whether, in addition, nothing of a person is left but ids in items of others. */
  readonly isErased: boolean;
  /** Whether each id has the tombstone of an account or team; if not, it never existed, or is not deleted. */
  readonly hasTombstones: boolean;
  /** Number of items in each table, and of objects in each bucket; all of them were read. */
  readonly lookedAt: {
    readonly tables: Readonly<Record<string, number>>;
    readonly buckets: Readonly<Record<BucketName, number>>;
  };
  /** Their items by kind. */
  readonly remaining: Readonly<Record<string, Rest>>;
  /** Items of others that name them by their ids, by kind. */
  readonly mentioning: Readonly<Record<string, Rest>>;
  /** Expired items, which nothing reads any more and the store will delete, by kind. */
  readonly expired: Readonly<Record<string, number>>;
  /** Items that must not exist, by kind. */
  readonly unexpected: Readonly<Record<string, number>>;
  readonly notLookedAt: readonly string[];
}

/** Places that the walk does not reach. */
const notLookedAt = [
  "queues, whose messages are on their way for minutes; what workers give up waits in dead-letter queues for up to 14 days",
  "sent mails, text messages, pushes, and calls of bots and webhooks, which belong to their receivers",
  "contents of files, which their senders have encrypted; a file whose record is gone has no owner",
  "backups of the tables and former versions of objects, which are deleted when their time is over",
  "logs, which name users and teams by their ids until they are deleted",
];

/**
 * Whether an item that may remain has been reduced as erasure should reduce it; items of other kinds are not checked.
 */
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
  "teams/team"(item) {
    const team = teamItem.parse(item);
    return isDeepStrictEqual(team, teamTombstone(team, team.statusChangedAt));
  },
};

/** Time that the worker may take. */
const graceMilliseconds = 2 * 86_400_000;

/** Whether an item that is removed or handled at a certain time may still be there; items of other kinds are not checked. */
const isInTime: Readonly<Record<string, (item: Item, now: number) => boolean>> = {
  "assets/asset": (item, now) =>
    (removalOf(assetItem.parse(item)) ?? Number.POSITIVE_INFINITY) + graceMilliseconds > now,
  "outbox/message": ({ messageId }, now) => committedAtOf({ messageId: String(messageId) }) > now,
};

/**
 * Whether an event, as somebody else got it, tells what the person was called or looked like. A piece of a large payload,
 * which cannot be read alone, may.
 */
function tellsOfProfile({ payload }: Item, names: Names): boolean {
  if (typeof payload !== "string") return false;
  try {
    const events: { readonly user?: unknown }[] = JSON.parse(payload);
    return events.some(
      (event) =>
        isNamedIn(event, names) && Object.keys(Object(event.user)).some((field) => !idFields.has(field)),
    );
  } catch {
    return true;
  }
}

/** Fields of the `user` of an event that say nothing about the person. */
const idFields: ReadonlySet<string> = new Set(["id", "qualified_id", "sso_id_deleted"]);

/**
 * Search every table and bucket for remains of erased users or a deleted team: their items and objects, and those of
 * others that name them. Keys are not trusted, because an erasure removes the items whose keys lead to the others.
 */
export async function certifyErasure(
  { tables: reader, buckets: bucketReader }: { readonly tables: TableReader; readonly buckets: BucketReader },
  { userIds, teamId, names }: Erased,
  now: number,
): Promise<Certificate> {
  await allItemKinds();
  const counts = {
    remaining: new Counts(),
    mentioning: new Counts(),
    expired: new Counts(),
    unexpected: new Counts(),
  };
  /** Kinds with items that still contain data of a person. */
  const full = new Set<string>();
  const read: Record<string, number> = {};
  const assetKeys: string[] = [];
  for (const table of Object.keys(tables) as TableName[]) {
    read[table] = 0;
    for await (const item of reader.scan(table)) {
      read[table]++;
      const finding = examine(table, item, names, now);
      if (finding === undefined) continue;
      counts[finding.outcome].add(finding.kind);
      if (!finding.isEmptied) full.add(finding.kind);
      if (finding.kind === "assets/asset" && finding.outcome !== "mentioning")
        assetKeys.push(String(item.assetKey));
    }
  }
  const found = await walkBuckets(bucketReader, { assetKeys, names, publicNames: exceptIds(names) });
  if (found.trail.byName > 0) {
    counts.unexpected.add(inTrail, found.trail.byName);
    full.add(inTrail);
  }
  const { remaining, mentioning, expired, unexpected } = counts;
  const hasTombstones =
    remaining.of("accounts/account") === userIds.length &&
    remaining.of("teams/team") === (teamId === undefined ? 0 : 1);
  return {
    certifiedAt: new Date(now).toISOString(),
    isAsDeclared: hasTombstones && unexpected.isEmpty,
    isErased: hasTombstones && full.size === 0,
    hasTombstones,
    lookedAt: { tables: read, buckets: found.lookedAt },
    remaining: { ...remaining.withReasons("remains", full), ...restOfFiles(found) },
    mentioning: { ...mentioning.withReasons("mentions", full), ...restOfTrail(found) },
    expired: expired.byKind(),
    unexpected: unexpected.byKind(),
    notLookedAt,
  };
}

const inTrail = "files of the audit trail";

const restOfFiles = ({ files, unfinished }: BucketFindings): Record<string, Rest> => ({
  ...(files.count > 0 && {
    files: { ...files, reason: "others have read them, and refer to them; other files stay for 28 days" },
  }),
  ...(unfinished > 0 && {
    "unfinished files": { count: unfinished, reason: "their parts are removed a day after they arrived" },
  }),
});

const restOfTrail = ({ trail }: BucketFindings): Record<string, Rest> =>
  trail.byId === 0
    ? {}
    : { [inTrail]: { count: trail.byId, isEmptied: true, reason: buckets.audit.subject.nobody } };

type Outcome = "remaining" | "mentioning" | "expired" | "unexpected";

/** @returns undefined for an item that neither belongs to them nor names them */
function examine(
  table: TableName,
  item: Item,
  names: Names,
  now: number,
): { kind: string; outcome: Outcome; isEmptied: boolean } | undefined {
  const kind = kindOf(table, item);
  const isOwn = kind !== undefined && isOf(kind, item, names);
  if (!isOwn && !isNamedIn(item, names)) return undefined;
  const name = kind === undefined ? `${table}/unknown` : nameOf(kind);
  const finding = (outcome: Outcome, isEmptied = false) => ({ kind: name, outcome, isEmptied });
  if (isExpired(table, item, now)) return finding("expired");
  if (!isOwn)
    return finding(
      kind?.subject.mentions === undefined || isInTime[name]?.(item, now) === false
        ? "unexpected"
        : "mentioning",
      !isNamedIn(item, exceptIds(names)) && !tellsOfProfile(item, names),
    );
  const isEmpty = isEmptied[name]?.(item);
  const mayRemain = "remains" in kind.subject && (isEmpty ?? true) && (isInTime[name]?.(item, now) ?? true);
  return finding(mayRemain ? "remaining" : "unexpected", isEmpty);
}

/** Names that identify a person even to outsiders: addresses, numbers and handles. */
const exceptIds = (names: Names): Names => new Set([...names].filter((name) => !idPattern.test(name)));
const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Number of items of each kind. */
class Counts {
  readonly #counts = new Map<string, number>();

  add(kind: string, count = 1): void {
    this.#counts.set(kind, this.of(kind) + count);
  }

  of(kind: string): number {
    return this.#counts.get(kind) ?? 0;
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  byKind(): Record<string, number> {
    return Object.fromEntries([...this.#counts].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  }

  withReasons(of: "remains" | "mentions", full: ReadonlySet<string>): Record<string, Rest> {
    const reasons = new Map(declaredItems().map((kind) => [nameOf(kind), Reflect.get(kind.subject, of)]));
    return Object.fromEntries(
      Object.entries(this.byKind()).map(([kind, count]) => [
        kind,
        { count, reason: String(reasons.get(kind)), ...(!full.has(kind) && { isEmptied: true }) },
      ]),
    );
  }
}

function isExpired(table: TableName, item: Item, now: number): boolean {
  const { timeToLive }: TableSpec = tables[table];
  const expiry = timeToLive === undefined ? undefined : item[timeToLive];
  return typeof expiry === "number" && expiry <= toSeconds(now);
}
