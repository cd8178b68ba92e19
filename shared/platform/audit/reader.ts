import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import type { TableContext } from "../data/store-context.ts";
import { TextFiles } from "../files/text-files.ts";
import { type AuditRecord, hourOf } from "./audit-record.ts";
import { AuditStore, type TablePlace } from "./audit-store.ts";
import { BrokenChainError, fileNameOf, hourIn, readChainFile, readDamagedFile } from "./chain-file.ts";
import { type DamagedFile, type HourOfChain, type HourPlace, readHour } from "./hour-pages.ts";
import type { Cause } from "./place.ts";
import { firstHours } from "./sealer.ts";

const hourMilliseconds = 3_600_000;
/** Hours with records that one page reads. */
const hoursPerPage = 24;
/** Number of records of the table after which a page ends, even if none of them matches. */
const recordsReadPerPage = 4000;
/** Records of a chain that one call reads. */
const mostAtOnce = 1000;
/** Calls of a page that looks through all chains, each of which reads a megabyte at most. */
const callsPerPage = 16;
/** Number of matches after which such a page ends: another megabyte has 3,000 more at most. */
const recordsPerPage = 1000;
/** Characters of files in one page: Lambda answers with 6 MB at most. */
const maxFileCharacters = 3_000_000;
const dayMilliseconds = 86_400_000;

/** Where a page of records starts. */
export interface RecordPlace extends HourPlace {
  readonly hour: string;
}

/** Where a page of files starts: after a file, and so many characters of the next one. */
export interface FilePlace {
  readonly after: string;
  readonly skip?: number | undefined;
}

export interface ReaderContext extends TableContext {
  readonly config: Pick<Config, "tableName" | "bucketName" | "settings">;
  readonly clock: Clock;
}

/** Reads the audit trail: sealed hours from files, the others from the table. */
export class AuditReader {
  readonly #store: AuditStore;
  readonly #files: TextFiles;
  readonly #clock: Clock;
  readonly #retentionMilliseconds: number;

  constructor(context: ReaderContext) {
    this.#store = new AuditStore(context);
    this.#files = new TextFiles(context, "audit");
    this.#clock = context.clock;
    this.#retentionMilliseconds = context.config.settings.auditRetentionDays * dayMilliseconds;
  }

  /**
   * One page of records of chains, hour by hour: changes, the oldest first, then refused attempts.
   * @param from ISO 8601, inclusive
   * @param to ISO 8601, exclusive
   * @returns `next`: where the next page starts; a page may be empty although there is another. `damaged`: altered
   * files, of which the page has the readable records
   */
  async page(
    chains: readonly string[],
    {
      from,
      to,
      limit,
      isWanted,
      start = { hour: hourOf(Date.parse(from)) },
    }: {
      from: string;
      to: string;
      limit: number;
      isWanted: (record: AuditRecord) => boolean;
      start?: RecordPlace | undefined;
    },
  ): Promise<{ records: AuditRecord[]; damaged: DamagedFile[]; next?: RecordPlace }> {
    const records: AuditRecord[] = [];
    const damaged: DamagedFile[] = [];
    const hours = await this.#hours(chains, start.hour, to);
    let toRead = recordsReadPerPage;
    /** Place after the last record of a full page; there is a next page if another record is found. */
    let end: RecordPlace | undefined;
    for (const [index, hour] of hours.entries()) {
      let place: HourPlace | undefined = hour === start.hour ? placeIn(start) : {};
      if (index === hoursPerPage) return { records, damaged, next: end ?? { hour, ...place } };
      const sources = await Promise.all(chains.map((chain) => this.#sourceOf(chain, hour)));
      const isSealed = sources.every((source) => "records" in source);
      damaged.push(...sources.flatMap((source) => ("records" in source ? (source.damage ?? []) : [])));
      let size = limit + 1 - records.length;
      while (place !== undefined) {
        if (toRead <= 0) return { records, damaged, next: end ?? { hour, ...place } };
        const piece = await readHour(this.#store, sources, place, { from, to }, isSealed ? Infinity : size);
        for (const [number, record] of piece.records.entries()) {
          if (!isWanted(record)) continue;
          if (end !== undefined) return { records, damaged, next: end };
          records.push(record);
          if (records.length === limit) end = { hour, ...piece.places[number] };
        }
        if (!isSealed) toRead -= piece.read;
        size = Math.min(2 * size, mostAtOnce);
        place = piece.next;
      }
    }
    return { records, damaged };
  }

  /**
   * One page of the records of all chains from a network or by an operator. It comes from the table; records older than
   * `keepDays` are only in files, which are sorted by chain.
   *
   * @param period ISO 8601, `to` exclusive
   * @returns records of one hour after the other, within it in any order; `next`: where the next page starts. A page
   * may be empty although there is another
   */
  async ofCause(
    cause: Cause,
    { from, to }: { readonly from: string; readonly to: string },
    start: TablePlace = { hour: hourOf(Date.parse(from)), part: 0 },
  ): Promise<{ records: AuditRecord[]; next?: TablePlace }> {
    const last = hourOf(Math.min(Date.parse(to), this.#clock()));
    const records: AuditRecord[] = [];
    let place = start;
    for (let calls = 0; calls < callsPerPage; calls++) {
      if (place.hour > last) return { records };
      const { records: found, next } = await this.#store.ofCause(cause, place, { from, to });
      records.push(...found);
      place = next ?? { hour: after(place.hour), part: 0 };
      if (records.length >= recordsPerPage) break;
    }
    return place.hour > last ? { records } : { records, next: place };
  }

  /**
   * Unchecked files of a chain, the oldest first, and the end of the chain, unless the first page is empty because
   * nothing has been sealed since `from` or everything has expired.
   * @returns `isCut`: the last text continues in the first one of the next page
   */
  async files(
    chain: string,
    { from, start }: { from: string; start?: FilePlace | undefined },
  ): Promise<{ files: string[]; isCut: boolean; head?: { file: number; hash: string }; next?: FilePlace }> {
    const first = start ?? { after: before(fileNameOf(chain, from)) };
    const [names, end] = await Promise.all([
      this.#files.list(`${chain}/`, { after: first.after, limit: hoursPerPage }),
      this.#store.head(chain),
    ]);
    const expiredBefore = hourOf(this.#clock() - this.#retentionMilliseconds);
    const isOver = end !== undefined && (end.hour < from || end.hour < expiredBefore);
    const head = start === undefined && names.length === 0 && isOver ? {} : ended(end);
    const files: string[] = [];
    let place: FilePlace = first;
    let room = maxFileCharacters;
    for (const name of names) {
      if (room === 0) return { files, isCut: false, ...head, next: place };
      const { after, skip = 0 } = place;
      const text = ((await this.#files.read(name)) ?? "").slice(skip);
      files.push(text.slice(0, room));
      if (text.length > room) return { files, isCut: true, ...head, next: { after, skip: skip + room } };
      room -= text.length;
      place = { after: name };
    }
    return { files, isCut: false, ...head, ...(names.length === hoursPerPage && { next: place }) };
  }

  /** Chains with files, in the order of their names. */
  chains(page: { readonly after?: string | undefined; readonly limit: number }): Promise<string[]> {
    return this.#store.chains(page);
  }

  /** Hours with files from a place on, and unsealed hours; one more than a page has. */
  async #hours(chains: readonly string[], first: string, to: string): Promise<string[]> {
    const last = hourOf(Math.min(Date.parse(to), this.#clock()));
    // Where nothing is sealed, the first sealing goes no further back.
    const earliest = hourOf(this.#clock() - (firstHours + 1) * hourMilliseconds);
    const [sealed = earliest, ...names] = await Promise.all([
      this.#store.sealedUpTo(),
      ...chains.map((chain) =>
        this.#files.list(`${chain}/`, { after: before(fileNameOf(chain, first)), limit: hoursPerPage + 1 }),
      ),
    ]);
    const hours = new Set(
      names
        .flat()
        .map(hourIn)
        .filter((hour) => hour <= last),
    );
    const start = Date.parse(`${first > sealed ? first : after(sealed)}:00:00Z`);
    for (let time = start; hourOf(time) <= last && hours.size <= 2 * hoursPerPage; time += hourMilliseconds)
      hours.add(hourOf(time));
    return [...hours].sort().slice(0, hoursPerPage + 1);
  }

  async #sourceOf(chain: string, hour: string): Promise<HourOfChain> {
    const file = fileNameOf(chain, hour);
    const text = await this.#files.read(file);
    if (text === undefined) return { chain, hour };
    try {
      const { records } = readChainFile(text);
      if (records.every(isRecord)) return { records };
      return { records: records.filter(isRecord), damage: { file, problem: "A line is no record" } };
    } catch (error) {
      if (!(error instanceof BrokenChainError)) throw error;
      const records = readDamagedFile(text).filter(isRecord);
      return { records, damage: { file, problem: error.message } };
    }
  }
}

const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** Whether a line has the fields of a record, even in an altered file. */
function isRecord(content: unknown): content is AuditRecord {
  const record = Object(content);
  return time.test(record.time) && [record.actor, record.target].every((ids) => Object(ids) === ids);
}

/** A place with only a number comes from an older version with another order, so the hour begins again. */
function placeIn({ hour: _, ...place }: RecordPlace): HourPlace {
  return place.time === undefined && place.chain === undefined ? {} : place;
}

const after = (hour: string): string => hourOf(Date.parse(`${hour}:00:00Z`) + hourMilliseconds);

/** A name just before another in the order of names. */
const before = (name: string): string => name.slice(0, -".jsonl".length);

const ended = (head: { file: number; hash: string } | undefined) =>
  head === undefined ? {} : { head: { file: head.file, hash: head.hash } };
