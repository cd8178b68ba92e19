import type { AuditRecord } from "./audit-record.ts";
import type { AuditStore } from "./audit-store.ts";

/** Where reading an hour of chains continues: first the changes, by time, then the refused attempts, chain by chain. */
export interface HourPlace {
  /** After this number of changes with this time. */
  readonly time?: string | undefined;
  /**
   * Within the refused attempts of the chain with this index: after this number of them, the last of which has the
   * properties `after`.
   */
  readonly chain?: number | undefined;
  readonly after?: string | undefined;
  readonly skip?: number | undefined;
}

/** An altered file, and its problem. */
export interface DamagedFile {
  readonly file: string;
  readonly problem: string;
}

/** The records of a chain in an hour: the whole file, or their place in the table. */
export type HourOfChain =
  | { readonly records: readonly AuditRecord[]; readonly damage?: DamagedFile }
  | { readonly chain: string; readonly hour: string };

interface Period {
  readonly from: string;
  readonly to: string;
}

interface Piece {
  readonly records: readonly AuditRecord[];
  /** Place after each record. */
  readonly places: readonly HourPlace[];
  /** Number of records that were read. */
  readonly read: number;
  /** Where to continue; absent: the hour has no more records. */
  readonly next?: HourPlace;
}

/**
 * The next records of an hour of chains.
 * @param size number of records to read of each chain
 */
export function readHour(
  store: AuditStore,
  chains: readonly HourOfChain[],
  place: HourPlace,
  period: Period,
  size: number,
): Promise<Piece> {
  return place.chain === undefined
    ? readChanges(store, chains, place, period, size)
    : readRefusals(store, chains, { ...place, chain: place.chain }, period, size);
}

async function readChanges(
  store: AuditStore,
  chains: readonly HourOfChain[],
  { time: since, skip = 0 }: HourPlace,
  { from, to }: Period,
  size: number,
): Promise<Piece> {
  const range = { after: since ?? from, before: to };
  const most = size + skip;
  const isEmpty = range.after >= range.before;
  const ofEach = isEmpty ? [] : await Promise.all(chains.map((one) => changesOf(store, one, range, most)));
  const isOver = ofEach.every((changes) => changes.length < most);
  const all = ofEach
    .flat()
    .sort((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0));
  const changes = isOver ? all : all.slice(0, most);
  const places: HourPlace[] = [];
  for (const { time } of changes) {
    const last = places.at(-1);
    places.push({ time, skip: last?.time === time ? (last.skip ?? 0) + 1 : 1 });
  }
  const next = isOver ? { chain: 0 } : places.at(-1);
  return {
    records: changes.slice(skip),
    places: places.slice(skip),
    read: all.length,
    ...(next !== undefined && { next }),
  };
}

async function changesOf(
  store: AuditStore,
  one: HourOfChain,
  { after, before }: { after: string; before: string },
  most: number,
): Promise<AuditRecord[]> {
  const changes: AuditRecord[] = [];
  if ("records" in one) {
    for (const record of one.records)
      if (record.count === undefined && record.time >= after && record.time < before) changes.push(record);
    return changes.slice(0, most);
  }
  for await (const { record } of store.changesOf(one.chain, one.hour, { after, before }, most)) {
    changes.push(record);
    if (changes.length === most) break;
  }
  return changes;
}

async function readRefusals(
  store: AuditStore,
  chains: readonly HourOfChain[],
  { chain, after, skip = 0 }: HourPlace & { readonly chain: number },
  { from, to }: Period,
  size: number,
): Promise<Piece> {
  const one = chains[chain];
  if (one === undefined) return { records: [], places: [], read: 0 };
  const found =
    "records" in one
      ? one.records
          .filter(({ count }) => count !== undefined)
          .slice(skip, skip + size)
          .map((record) => ({ record, likeness: undefined }))
      : await store.refusalsOf(one.chain, one.hour, { after, limit: size });
  const placed = found.map(({ record, likeness }, index) => ({
    record,
    place: { chain, skip: skip + index + 1, ...(likeness !== undefined && { after: likeness }) },
  }));
  const wanted = placed.filter(({ record }) => record.time >= from && record.time < to);
  const following = chain + 1 < chains.length ? { chain: chain + 1 } : undefined;
  const next = found.length < size ? following : placed.at(-1)?.place;
  return {
    records: wanted.map(({ record }) => record),
    places: wanted.map(({ place }) => place),
    read: found.length,
    ...(next !== undefined && { next }),
  };
}
