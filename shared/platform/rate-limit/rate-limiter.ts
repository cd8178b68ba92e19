import * as z from "zod";
import { type Clock, toSeconds } from "../clock.ts";
import type { StoreContext } from "../data/store-context.ts";
import { declareItem, storedObject } from "../data/stored-item.ts";
import { Table } from "../data/table.ts";
import { type Bucket, bucketLimitsOf, namesOf } from "./network.ts";
import { type BucketLimits, lastTat, RateLimitedError } from "./token-bucket.ts";

declareItem(
  {
    table: "rate-limits",
    kind: "limit",
    key: ["*"],
    subject: {
      nobody: "counts of requests, until they expire",
      mentions: "whose requests, until it expires",
    },
  },
  storedObject({ tat: z.int().optional(), spent: z.int().optional(), until: z.int().optional() }),
);

/** Token buckets shared by all function instances. Access pattern: by bucket name. */
export class RateLimiter {
  readonly #table: Table<"rate-limits">;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "rate-limits");
    this.#clock = context.clock;
  }

  /**
   * Take one token, with updates that need no prior read, so concurrent calls never conflict. Costs one write for a
   * full bucket, otherwise two.
   *
   * @throws RateLimitedError when the bucket is empty
   */
  take(bucket: Bucket, limits: BucketLimits): Promise<void> {
    return this.takeAll([[bucket, limits]]);
  }

  async #take(bucket: string, limits: BucketLimits): Promise<void> {
    if (limits.refillSeconds === 0) return;
    const interval = limits.refillSeconds * 1000;
    const now = this.#clock();
    const emptyAt = now + limits.burst * interval;
    const purgeAtSeconds = toSeconds(emptyAt) + 1;
    const takenFromFull = await this.#table.updateOnce(
      { bucket },
      {
        UpdateExpression: "SET tat = :next, purgeAtSeconds = :purge",
        ConditionExpression: "(attribute_not_exists(tat) OR tat <= :now)",
        ExpressionAttributeValues: { ":next": now + interval, ":now": now, ":purge": purgeAtSeconds },
      },
    );
    if (takenFromFull !== undefined) return;
    await this.#table.updateOnce(
      { bucket },
      {
        UpdateExpression: "SET tat = tat + :interval, purgeAtSeconds = :purge",
        ConditionExpression: "tat <= :last",
        ExpressionAttributeValues: {
          ":interval": interval,
          ":last": lastTat(now, limits),
          ":purge": purgeAtSeconds,
        },
      },
      (existing) => {
        const tat = Number(existing?.tat ?? emptyAt);
        throw new RateLimitedError((tat + interval - emptyAt) / 1000);
      },
    );
  }

  /**
   * Take a token of each of several buckets, in the time of one: when one bucket is empty, the tokens of the others are
   * returned, so that a refusal costs nobody else anything. If returning fails, they refill with time.
   *
   * @throws RateLimitedError when a bucket is empty
   */
  async takeAll(wanted: readonly (readonly [bucket: Bucket, limits: BucketLimits])[]): Promise<void> {
    const buckets = wanted.flatMap(([bucket, limits]) =>
      namesOf(bucket).map(({ name, network }) => [name, bucketLimitsOf(network, limits)] as const),
    );
    const outcomes = await Promise.allSettled(buckets.map(([bucket, limits]) => this.#take(bucket, limits)));
    const refusal = outcomes.find((outcome) => outcome.status === "rejected");
    if (refusal === undefined) return;
    const taken = buckets.filter((_, index) => outcomes[index]?.status === "fulfilled");
    await Promise.allSettled(taken.map(([bucket, limits]) => this.#giveBack(bucket, limits)));
    throw refusal.reason;
  }

  /** Seconds until a bucket has a token again; 0: it has one now. */
  async refusal(bucket: string, limits: BucketLimits): Promise<number> {
    if (limits.refillSeconds === 0) return 0;
    const item = await this.#table.get({ bucket });
    return Math.max(0, (Number(item?.tat ?? 0) - lastTat(this.#clock(), limits)) / 1000);
  }

  /** Fill a bucket. */
  async refill(bucket: string): Promise<void> {
    await this.#table.delete({ bucket });
  }

  async #giveBack(bucket: string, { refillSeconds }: BucketLimits): Promise<void> {
    if (refillSeconds === 0) return;
    await this.#table.updateOnce(
      { bucket },
      {
        UpdateExpression: "SET tat = tat - :interval",
        ConditionExpression: "attribute_exists(tat)",
        ExpressionAttributeValues: { ":interval": refillSeconds * 1000 },
      },
    );
  }
}
