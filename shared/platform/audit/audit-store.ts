import type { Clock } from "../clock.ts";
import { succeeds } from "../data/conditions.ts";
import type { TableContext } from "../data/store-context.ts";
import type { Stored } from "../data/stored-item.ts";
import { type Item, Table } from "../data/table.ts";
import {
  type AuditRecord,
  chainHead,
  partOf,
  partsOf,
  refusedMark,
  sealedHour,
  verificationRound,
} from "./audit-record.ts";
import { type ChangesFound, type ChangesSought, oldestOfAll } from "./changes-of-all.ts";
import { type Cause, type ChangeRange, type PlacedRecord, splitEntry, toPlaced } from "./place.ts";

/** How far the present round of verifying all chains is. */
export type VerificationRound = Stored<typeof verificationRound>;
type Head = Stored<typeof chainHead>;

/** Where a page of an hour's records starts: in one of its parts, after an entry. */
export interface TablePlace {
  readonly hour: string;
  readonly part: number;
  readonly after?: string | undefined;
}

const headKey = (chain: string) => ({ part: "heads", entry: chain });
const roundKey = { part: "verification", entry: "round" };
const sealedKey = { part: "sealed", entry: "hour" };

/** Records of the audit trail. Access patterns: by hour, and by hour and chain; the ends of chains. */
export class AuditStore {
  readonly #table: Table<"audit">;

  constructor(context: TableContext & { readonly clock: Clock }) {
    this.#table = new Table(context, "audit");
  }

  /** An hour's records, one chain after the other. */
  async *chainsOf(hour: string): AsyncGenerator<{ chain: string; records: AuditRecord[] }> {
    for (const part of partsOf(hour)) {
      let current: { chain: string; records: AuditRecord[] } | undefined;
      for await (const item of this.#table.query(part)) {
        const { record, chain } = toRecord(item);
        if (current?.chain !== chain) {
          if (current !== undefined) yield current;
          current = { chain, records: [] };
        }
        current.records.push(record);
      }
      if (current !== undefined) yield current;
    }
  }

  /**
   * Changes of one chain in an hour, in the order of their places.
   * @param pageSize records per read; absent: as many as DynamoDB returns
   */
  async *changesOf(
    chain: string,
    hour: string,
    { after, before }: ChangeRange,
    pageSize?: number,
  ): AsyncGenerator<PlacedRecord> {
    const query = {
      range: "entry BETWEEN :after AND :before",
      ExpressionAttributeValues: { ":after": `${chain}#${after}`, ":before": `${chain}#${before}` },
      Limit: pageSize,
    };
    for await (const item of this.#table.query(partOf(hour, chain), query)) {
      const placed = toPlaced(item);
      if (placed.place > after) yield placed;
    }
  }

  /**
   * Refused attempts of one chain in an hour, in the order of their common properties.
   * @param after common properties of the previous record
   */
  async refusalsOf(
    chain: string,
    hour: string,
    { after = "", limit }: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<{ likeness: string; record: AuditRecord }[]> {
    const start = `${chain}#${refusedMark}#`;
    const { Items = [] } = await this.#table.page(partOf(hour, chain), {
      range: "entry BETWEEN :after AND :end",
      // `#` sorts before all characters of common properties, and `$` follows it.
      ExpressionAttributeValues: {
        ":after": `${start}${after}${after && "#"}`,
        ":end": `${start.slice(0, -1)}$`,
      },
      Limit: limit,
    });
    return Items.map((item) => ({
      likeness: String(item.entry).slice(start.length),
      record: toRecord(item).record,
    }));
  }

  /** See `oldestOfAll`. */
  oldestOfAll(hour: string, range: ChangeRange, sought: ChangesSought): Promise<ChangesFound | undefined> {
    return oldestOfAll(this.#table, hour, range, sought);
  }

  /**
   * Records of all chains from a network or by an operator, in any order: those that one call finds in a megabyte of an
   * hour.
   * @param period ISO 8601, `to` exclusive
   * @returns `next`: where to go on in the hour
   */
  async ofCause(
    cause: Cause,
    { hour, part, after }: TablePlace,
    { from, to }: { readonly from: string; readonly to: string },
  ): Promise<{ records: AuditRecord[]; next?: TablePlace }> {
    const parts = partsOf(hour);
    const partition = parts[part] ?? "";
    const { Items = [], LastEvaluatedKey } = await this.#table.page(partition, {
      ConsistentRead: false,
      ...causedIn(cause, { from, to }),
      ...(after !== undefined && { ExclusiveStartKey: { part: partition, entry: after } }),
    });
    const records = Items.map((item) => toRecord(item).record);
    if (LastEvaluatedKey !== undefined)
      return { records, next: { hour, part, after: String(LastEvaluatedKey.entry) } };
    return { records, ...(part + 1 < parts.length && { next: { hour, part: part + 1 } }) };
  }

  async head(chain: string): Promise<Head | undefined> {
    const item = await this.#table.get(headKey(chain));
    return item && chainHead.parse(item);
  }

  /** Chains with files, in the order of their names. */
  async chains({ after = "", limit }: { readonly after?: string | undefined; readonly limit: number }) {
    const { Items = [] } = await this.#table.page("heads", {
      range: "entry > :after",
      ExpressionAttributeValues: { ":after": after || " " },
      Limit: limit,
    });
    return Items.map(({ entry }) => String(entry));
  }

  /** Move the end of a chain to its next file. @returns false if somebody else has moved it */
  moveHead(chain: string, next: Pick<Head, "file" | "hash" | "hour">): Promise<boolean> {
    const isNext = next.file === 1 ? "attribute_not_exists(entry)" : "#file = :previous";
    return succeeds(
      this.#table.put(
        { ...headKey(chain), ...next },
        {
          ConditionExpression: isNext,
          ...(next.file > 1 && {
            ExpressionAttributeNames: { "#file": "file" },
            ExpressionAttributeValues: { ":previous": next.file - 1 },
          }),
        },
      ),
    );
  }

  async verificationRound(): Promise<VerificationRound | undefined> {
    const item = await this.#table.get(roundKey);
    return item && verificationRound.parse(item);
  }

  async noteVerified(round: VerificationRound): Promise<void> {
    await this.#table.put({ ...roundKey, ...round });
  }

  /** The newest hour that is sealed in all chains. */
  async sealedUpTo(): Promise<string | undefined> {
    const item = await this.#table.get(sealedKey);
    return item && sealedHour.parse(item).hour;
  }

  /** Note that an hour is sealed, unless a later one is. */
  async noteSealed(hour: string): Promise<void> {
    await succeeds(
      this.#table.put(
        { ...sealedKey, hour },
        {
          ConditionExpression: "attribute_not_exists(entry) OR #hour < :hour",
          ExpressionAttributeNames: { "#hour": "hour" },
          ExpressionAttributeValues: { ":hour": hour },
        },
      ),
    );
  }
}

function toRecord(item: Item): { chain: string; record: AuditRecord } {
  return { chain: splitEntry(item).chain, record: toPlaced(item).record };
}

function causedIn(cause: Cause, { from, to }: { readonly from: string; readonly to: string }) {
  const inTime = "#time >= :from AND #time < :to";
  const names = { "#time": "time" };
  const values = { ":from": from, ":to": to };
  return "network" in cause
    ? {
        FilterExpression: `#network = :network AND ${inTime}`,
        ExpressionAttributeNames: { ...names, "#network": "network" },
        ExpressionAttributeValues: { ...values, ":network": cause.network },
      }
    : {
        FilterExpression: `contains(#actor.#principal, :principal) AND ${inTime}`,
        ExpressionAttributeNames: { ...names, "#actor": "actor", "#principal": "principal" },
        ExpressionAttributeValues: { ...values, ":principal": cause.principal },
      };
}
