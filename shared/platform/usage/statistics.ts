import * as z from "zod";
import { type Clock, toSeconds } from "../clock.ts";
import type { StoreContext } from "../data/store-context.ts";
import { storedItem, storedObject } from "../data/stored-item.ts";
import { type Item, Table } from "../data/table.ts";

/** Counters by day for the whole installation. */
const counterNames = [
  "activeUsers",
  /** Active for the first time in a month. */
  "monthlyUsers",
  "registrations",
  "failedLogins",
  "messages",
  "deliveries",
] as const;
export type CounterName = (typeof counterNames)[number];
export type Counters = Readonly<Record<CounterName, number>>;

/** Billed consumption for a payer. */
const consumptionNames = [
  /** Requests of the APIs. */
  "requests",
  /** Invocations of functions; shared ones count in part. */
  "invocations",
  "gigabyteSeconds",
  "readUnits",
  "writeUnits",
  /** Messages that functions got from queues. */
  "queuedMessages",
  /** Posted to sockets. */
  "frames",
] as const;
type ConsumptionName = (typeof consumptionNames)[number];
export type Consumption = Readonly<Record<ConsumptionName, number>>;

/** Concurrent writers of a day. */
const shards = Array.from({ length: 8 }, (_, shard) => String(shard));
/** Two years, and a month to read them. */
const keepSeconds = 761 * 86_400;

const numbers = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, z.number().optional()])) as Record<
    Name,
    z.ZodOptional<z.ZodNumber>
  >;

const countsItem = storedItem(
  { table: "statistics", kind: "day", key: ["day#*", "counts"], subject: { nobody: "sums over everybody" } },
  storedObject(numbers(counterNames)),
);

const consumptionItem = storedItem(
  {
    table: "statistics",
    kind: "consumption",
    key: ["month#*", "payer#*|nobody"],
    subject: { nobody: "sums over what a team does", mentions: "What a team has cost." },
  },
  storedObject({ entry: z.string(), ...numbers(consumptionNames) }),
);

const storageItem = storedItem(
  {
    table: "statistics",
    kind: "storage",
    key: ["payer#*", "*"],
    subject: { nobody: "sums over what a team stores", mentions: "What a team has stored." },
  },
  storedObject({ bytes: z.number().optional(), files: z.number().optional() }),
);

/** Consumption of one payer. */
export interface PayerConsumption extends Consumption {
  readonly payer: string;
}

const nobody = "nobody";
/** First character of ids, by which payers are spread over partitions. */
const parts = [..."0123456789abcdef"];
const partOf = (payer: string) => payer.slice(0, 1);

/**
 * Events by day, and consumption and storage by payer. Sums are updated without being read; a repetition by the SDK
 * after a lost answer may count twice. Access patterns: days; consumption of a payer or of all in a month; storage of a
 * payer.
 */
export class Statistics {
  readonly #table: Table<"statistics">;
  readonly #clock: Clock;

  constructor(
    context: Pick<StoreContext, "dynamo" | "clock"> & { config: Pick<StoreContext["config"], "tableName"> },
  ) {
    this.#table = new Table(context, "statistics");
    this.#clock = context.clock;
  }

  /** Add to the counters of today. */
  async addCounts(counts: Partial<Counters>): Promise<void> {
    const shard = shards[Math.floor(Math.random() * shards.length)];
    await this.#add(
      { series: `day#${dayOf(this.#clock())}#${shard}`, entry: "counts" },
      counts,
      this.#purgeAt(),
    );
  }

  /** @param days such as `2026-11-26` @returns their counters, in the same order */
  async days(days: readonly string[]): Promise<Counters[]> {
    const items = days.map((day) =>
      this.#table.getMany(shards.map((shard) => ({ series: `day#${day}#${shard}`, entry: "counts" }))),
    );
    return (await Promise.all(items)).map((ofDay) =>
      sumsOf(
        counterNames,
        ofDay.map((item) => countsItem.parse(item)),
      ),
    );
  }

  /** Add to the consumption of a payer in this month. */
  async addConsumption(payer: string | undefined, consumption: Partial<Consumption>): Promise<void> {
    await this.#add(consumptionKey(payer, monthOf(this.#clock())), consumption, this.#purgeAt());
  }

  /** @param months such as `2026-11` @returns the consumption of a payer in each, in the same order */
  async consumptionOf(payer: string | undefined, months: readonly string[]): Promise<Consumption[]> {
    const items = await Promise.all(months.map((month) => this.#table.get(consumptionKey(payer, month))));
    return items.map((item) =>
      sumsOf(consumptionNames, item === undefined ? [] : [consumptionItem.parse(item)]),
    );
  }

  /** The consumption of payers in a month, in the order of their ids: a page after a given payer. */
  async pageOfPayers(
    month: string,
    { after, limit }: { after?: string | undefined; limit: number },
  ): Promise<PayerConsumption[]> {
    const found: PayerConsumption[] = [];
    for (const part of parts.slice(after === undefined ? 0 : parts.indexOf(partOf(after)))) {
      const { Items = [] } = await this.#table.page(`month#${month}#${part}`, {
        ConsistentRead: false,
        Limit: limit - found.length,
        ...(after !== undefined &&
          partOf(after) === part && {
            ExclusiveStartKey: consumptionKey(after, month),
          }),
      });
      for (const item of Items) found.push(toPayer(item));
      if (found.length >= limit) break;
    }
    return found;
  }

  /** @param expiresAtSeconds of the file; absent: it is kept until it is deleted */
  async addStorage(
    payer: string,
    {
      bytes,
      files,
      expiresAtSeconds,
    }: { bytes: number; files: number; expiresAtSeconds?: number | undefined },
  ): Promise<void> {
    const isKept = expiresAtSeconds === undefined;
    const entry = isKept ? "kept" : monthOf(expiresAtSeconds * 1000);
    const purgeAt = isKept ? undefined : toSeconds(firstOfNextMonth(expiresAtSeconds * 1000));
    await this.#add({ series: `payer#${payer}`, entry }, { bytes, files }, purgeAt);
  }

  /** The storage of a payer, including files that have expired this month. */
  async storageOf(payer: string): Promise<{ bytes: number; files: number }> {
    const items: { bytes?: number | undefined; files?: number | undefined }[] = [];
    const thisMonth = monthOf(this.#clock());
    for await (const item of this.#table.query(`payer#${payer}`))
      if (String(item.entry) >= thisMonth) items.push(storageItem.parse(item));
    return sumsOf(["bytes", "files"], items);
  }

  async #add(
    key: { series: string; entry: string },
    sums: Readonly<Record<string, number | undefined>>,
    purgeAtSeconds: number | undefined,
  ): Promise<void> {
    const added = Object.entries(sums).filter(([, value]) => value !== undefined && value !== 0);
    if (added.length === 0) return;
    await this.#table.update(key, {
      UpdateExpression: `ADD ${added.map((_, index) => `#${index} :${index}`).join(", ")}${purgeAtSeconds === undefined ? "" : " SET purgeAtSeconds = :purge"}`,
      ExpressionAttributeNames: Object.fromEntries(added.map(([name], index) => [`#${index}`, name])),
      ExpressionAttributeValues: {
        ...Object.fromEntries(added.map(([, value], index) => [`:${index}`, value])),
        ...(purgeAtSeconds !== undefined && { ":purge": purgeAtSeconds }),
      },
    });
  }

  #purgeAt(): number {
    return toSeconds(this.#clock()) + keepSeconds;
  }
}

/** The day of a time in unix milliseconds (UTC), such as `2026-11-26`. */
export const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
/** The month of a time in unix milliseconds (UTC), such as `2026-11`. */
const monthOf = (time: number) => dayOf(time).slice(0, 7);

function firstOfNextMonth(time: number): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

const consumptionKey = (payer: string | undefined, month: string) => ({
  series: `month#${month}#${payer === undefined ? nobody : partOf(payer)}`,
  entry: payer === undefined ? nobody : `payer#${payer}`,
});

function toPayer(item: Item): PayerConsumption {
  const consumption = consumptionItem.parse(item);
  return { ...sumsOf(consumptionNames, [consumption]), payer: consumption.entry.slice("payer#".length) };
}

const sumsOf = <Name extends string>(
  names: readonly Name[],
  items: readonly Readonly<Partial<Record<Name, number | undefined>>>[],
): Record<Name, number> =>
  Object.fromEntries(
    names.map((name) => [name, items.reduce((sum, item) => sum + (item[name] ?? 0), 0)]),
  ) as Record<Name, number>;
