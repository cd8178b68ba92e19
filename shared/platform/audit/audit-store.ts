import type { Clock } from "../clock.ts";
import { succeeds } from "../data/conditions.ts";
import type { TableContext } from "../data/store-context.ts";
import type { Stored } from "../data/stored-item.ts";
import { Table } from "../data/table.ts";
import { type AuditRecord, auditRecord, chainHead, partOf, partsOf, sealedHour } from "./audit-record.ts";

type Head = Stored<typeof chainHead>;

/** A change by its place among others: its time and, after `#`, its id. */
export interface PlacedRecord {
  readonly place: string;
  readonly record: AuditRecord;
}

/** Where a page of an hour's records starts: in one of its parts, after an entry. */
export interface TablePlace {
  readonly hour: string;
  readonly part: number;
  readonly after?: string | undefined;
}

interface ChangeRange {
  readonly after: string;
  readonly before: string;
}

/** The time of a place. */
export const timeOf = (place: string): string => place.split("#")[0] ?? "";

const headKey = (chain: string) => ({ part: "heads", entry: chain });
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

  /** Records of one chain in an hour, up to a number. */
  async ofChain(chain: string, hour: string, limit: number): Promise<AuditRecord[]> {
    const records: AuditRecord[] = [];
    const query = {
      range: "begins_with(entry, :chain)",
      ExpressionAttributeValues: { ":chain": `${chain}#` },
    };
    for await (const item of this.#table.query(partOf(hour, chain), query)) {
      records.push(toRecord(item).record);
      if (records.length >= limit) break;
    }
    return records;
  }

  /**
   * Changes of one chain in an hour, in the order of their places.
   * @param after place of the last one before, or a time
   * @param before time, exclusive
   */
  async *changesOf(
    chain: string,
    hour: string,
    { after, before }: ChangeRange,
  ): AsyncGenerator<PlacedRecord> {
    const query = {
      range: "entry BETWEEN :after AND :before",
      ExpressionAttributeValues: { ":after": `${chain}#${after}`, ":before": `${chain}#${before}` },
    };
    for await (const item of this.#table.query(partOf(hour, chain), query)) {
      const placed = toPlaced(item);
      if (placed.place > after) yield placed;
    }
  }

  /**
   * Changes of all chains in an hour, in any order: as `changesOf`. It reads the whole hour.
   * @param events of which they may be
   */
  async *changesOfAll(
    hour: string,
    { after, before }: ChangeRange,
    events: readonly string[],
  ): AsyncGenerator<PlacedRecord> {
    const names = events.map((_, index) => `:event${index}`);
    const query = {
      FilterExpression: `#time BETWEEN :after AND :before AND attribute_not_exists(#count) AND #event IN (${names.join()})`,
      ExpressionAttributeNames: { "#time": "time", "#count": "count", "#event": "event" },
      ExpressionAttributeValues: {
        ":after": timeOf(after),
        ":before": before,
        ...Object.fromEntries(events.map((event, index) => [`:event${index}`, event])),
      },
    };
    for (const part of partsOf(hour)) {
      for await (const item of this.#table.query(part, query)) {
        const placed = toPlaced(item);
        if (placed.place > after && placed.record.time < before) yield placed;
      }
    }
  }

  /**
   * Records of all chains that were caused from a network, in any order: what one call finds in a megabyte of an hour.
   * @param period ISO 8601, `to` exclusive
   * @returns `next`: where to go on in the hour
   */
  async ofNetwork(
    network: string,
    { hour, part, after }: TablePlace,
    { from, to }: { readonly from: string; readonly to: string },
  ): Promise<{ records: AuditRecord[]; next?: TablePlace }> {
    const parts = partsOf(hour);
    const partition = parts[part] ?? "";
    const { Items = [], LastEvaluatedKey } = await this.#table.page(partition, {
      ConsistentRead: false,
      FilterExpression: "#network = :network AND #time >= :from AND #time < :to",
      ExpressionAttributeNames: { "#network": "network", "#time": "time" },
      ExpressionAttributeValues: { ":network": network, ":from": from, ":to": to },
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

function toPlaced(item: unknown): PlacedRecord {
  const { entry, ...record } = auditRecord.parse(item);
  return { place: entry.slice(entry.indexOf("#") + 1), record };
}

function toRecord(item: unknown): { chain: string; record: AuditRecord } {
  const { entry, ...record } = auditRecord.parse(item);
  return { chain: entry.slice(0, entry.indexOf("#")), record };
}
