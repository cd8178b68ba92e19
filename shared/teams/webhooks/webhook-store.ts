import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import { StaleReadError, transact, type Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { Table } from "#shared/platform/data/table.ts";
import type { Settings } from "#shared/registry/settings.ts";
import {
  type Delivery,
  deliveryItem,
  TooManyWebhooksError,
  type Webhook,
  type WebhookKey,
  WebhookNotFoundError,
  webhookItem,
} from "./webhook.ts";
import type { Attempt } from "./webhook-calls.ts";

/** How long the log of deliveries goes back. */
const logDays = 30;
const dayMilliseconds = 86_400_000;

const shards = "0123456789abcdef";
const ownerOf = (chain: string) => {
  const last = chain.slice(-1);
  return `webhooks#${shards.includes(last) ? last : "0"}`;
};
const keyOf = ({ chain, webhookId }: WebhookKey) => ({
  owner: ownerOf(chain),
  entry: `${chain}#${webhookId}`,
});
const countKeyOf = (chain: string) => ({ owner: "counts", entry: chain });
const deliveriesOf = ({ webhookId }: Pick<WebhookKey, "webhookId">) => `deliveries#${webhookId}`;
const exists = "attribute_exists(webhookId)";
/** Age at which a message that nobody has received counts as lost: twice the time after which SQS delivers it again. */
const lostMilliseconds = 2 * 60_000;
const isLeased = { names: { "#lease": "lease" }, condition: "#lease = :lease" };

/** Whether events may be sent to a webhook now, and no run does so. */
const isDue =
  "#status = :active AND (attribute_not_exists(leasedUntil) OR leasedUntil < :now) " +
  "AND (attribute_not_exists(nextAttemptAt) OR nextAttemptAt <= :now)";

/** The exclusive right to send to a webhook, which each success extends. */
export interface Lease {
  readonly token: string;
  readonly milliseconds: number;
}

/** The progress of collecting events for a webhook; omitted fields stay unchanged. */
export type Progress = Partial<Pick<Webhook, "collectedUpTo" | "checkedUpTo" | "late">>;

/** The data on which the next attempts at a webhook depend. */
export interface Failure {
  readonly failures: number;
  readonly failingSince: number;
  readonly nextAttemptAt: number;
  /** Place up to which events are given up, and their number. */
  readonly givenUp?: { readonly upTo: string; readonly number: number } | undefined;
}

/**
 * Webhooks and their deliveries. Access patterns: by owner; all; by owner and id; deliveries of one in order, from a
 * place on, or the newest first.
 */
export class WebhookStore {
  readonly #context: StoreContext;
  readonly #table: Table<"webhooks">;
  readonly #clock: Clock;
  readonly #settings: Settings["webhooks"];

  constructor(context: StoreContext) {
    this.#context = context;
    this.#table = new Table(context, "webhooks");
    this.#clock = context.clock;
    this.#settings = context.config.settings.webhooks;
  }

  async get(key: WebhookKey): Promise<Webhook | undefined> {
    const item = await this.#table.get(keyOf(key));
    return item && webhookItem.parse(item);
  }

  /** The webhooks of one owner. */
  async ofChain(chain: string): Promise<Webhook[]> {
    const found: Webhook[] = [];
    const query = {
      range: "begins_with(entry, :chain)",
      ExpressionAttributeValues: { ":chain": `${chain}#` },
    };
    for await (const item of this.#table.query(ownerOf(chain), query)) found.push(webhookItem.parse(item));
    return found;
  }

  /** All webhooks; unreadable ones are left out. */
  async *all(): AsyncGenerator<Webhook> {
    for (const shard of shards) {
      for await (const item of this.#table.query(`webhooks#${shard}`)) {
        const webhook = webhookItem.parseOrAbsent(item);
        if (webhook !== undefined) yield webhook;
      }
    }
  }

  /** Rejected as `TooManyWebhooksError`. */
  create(webhook: Webhook): Write[] {
    const { chain, teamId } = webhook;
    const ofTeam = teamId === undefined ? "" : ", teamId = :team";
    return [
      this.#table.putWrite({ ...keyOf(webhook), ...webhook }, { ConditionExpression: `NOT ${exists}` }),
      this.#table.updateWrite(countKeyOf(chain), {
        UpdateExpression: `SET #chain = :chain${ofTeam} ADD #number :one`,
        ConditionExpression: "attribute_not_exists(#number) OR #number < :most",
        ExpressionAttributeNames: { "#chain": "chain", "#number": "number" },
        ExpressionAttributeValues: {
          ":chain": chain,
          ":one": 1,
          ":most": this.#settings.maxPerOwner,
          ...(teamId !== undefined && { ":team": teamId }),
        },
        onRejected: () => new TooManyWebhooksError(chain),
      }),
    ];
  }

  /**
   * Change the settings of a webhook; a run that is sending stops after the present attempt. Rejected as
   * `WebhookNotFoundError`.
   */
  change(key: WebhookKey, fields: Partial<Webhook>): Write {
    return this.#table.setFieldsWrite(
      keyOf(key),
      { ...fields, lease: undefined, leasedUntil: undefined, nudgedAt: undefined },
      { ConditionExpression: exists, onRejected: () => new WebhookNotFoundError(key.webhookId) },
    );
  }

  /** Give a webhook the next secret. @param formerUntil until when the present one stays valid */
  rotate({ secretVersion, ...key }: WebhookKey & Pick<Webhook, "secretVersion">, formerUntil: number): Write {
    return this.#table.updateWrite(keyOf(key), {
      UpdateExpression: "SET secretVersion = :next, formerSecretUntil = :until",
      ConditionExpression: "secretVersion = :now",
      ExpressionAttributeValues: {
        ":next": secretVersion + 1,
        ":now": secretVersion,
        ":until": formerUntil,
      },
    });
  }

  /** Remove a webhook, whose log must be empty. Rejected as `WebhookNotFoundError`. */
  remove(key: WebhookKey): Write[] {
    return [
      this.#table.deleteWrite(keyOf(key), {
        ConditionExpression: exists,
        onRejected: () => new WebhookNotFoundError(key.webhookId),
      }),
      this.#table.updateWrite(countKeyOf(key.chain), {
        UpdateExpression: "ADD #number :less",
        ExpressionAttributeNames: { "#number": "number" },
        ExpressionAttributeValues: { ":less": -1 },
      }),
    ];
  }

  async removeLog(webhook: Pick<WebhookKey, "webhookId">): Promise<void> {
    const owner = deliveriesOf(webhook);
    const pages = this.#table.pages(owner, { ProjectionExpression: "entry" });
    for await (const { Items = [] } of pages) {
      await this.#table.deleteMany(Items.map(({ entry }) => ({ owner, entry: String(entry) })));
    }
  }

  /** Remove all webhooks of a team. May be repeated; nobody may create one meanwhile. */
  async removeAllOf(chain: string): Promise<void> {
    for (const webhook of await this.ofChain(chain)) {
      // Removed first, so that a collector cannot add events.
      await this.#table.deleteMany([keyOf(webhook)]);
      await this.removeLog(webhook);
    }
    await this.#table.deleteMany([countKeyOf(chain)]);
  }

  /**
   * Add events to the log of a webhook, and move the places up to which they are collected and checked.
   * @returns false if another run has moved them, or the webhook is off
   */
  async collect(webhook: Webhook, progress: Progress, deliveries: readonly Delivery[]): Promise<boolean> {
    const purgeAtSeconds = toSeconds(this.#clock()) + logDays * 86_400;
    const owner = deliveriesOf(webhook);
    const { collectedUpTo, checkedUpTo } = webhook;
    const next = { checkedUpTo: checkedUpTo ?? collectedUpTo, ...progress };
    const fields = Object.entries(next);
    const isUnchecked =
      checkedUpTo === undefined ? "attribute_not_exists(checkedUpTo)" : "checkedUpTo = :checked";
    return this.#commits([
      this.#table.updateWrite(keyOf(webhook), {
        UpdateExpression: `SET ${fields.map(([name]) => `${name} = :${name}`).join(", ")} ADD waiting :number`,
        ConditionExpression: `collectedUpTo = :collected AND ${isUnchecked} AND #status = :active`,
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: {
          ...Object.fromEntries(fields.map(([name, value]) => [`:${name}`, value])),
          ":collected": collectedUpTo,
          ...(checkedUpTo !== undefined && { ":checked": checkedUpTo }),
          ":number": deliveries.length,
          ":active": "active",
        },
      }),
      ...deliveries.map((delivery) =>
        this.#table.putWrite({ owner, entry: delivery.place, ...delivery, purgeAtSeconds }),
      ),
    ]);
  }

  /** Places of the events between two places, both included, that were added for a webhook. */
  async placesOf(webhook: Webhook, first: string, last: string): Promise<Set<string>> {
    const query = {
      range: "entry BETWEEN :first AND :last",
      ProjectionExpression: "entry",
      ExpressionAttributeValues: { ":first": first, ":last": last },
    };
    const places = new Set<string>();
    for await (const { entry } of this.#table.query(deliveriesOf(webhook), query)) places.add(String(entry));
    return places;
  }

  /**
   * Note that a message about waiting events of a webhook is sent.
   * @returns false if none is needed, because there is one already, a run is sending, or nothing may be sent now
   */
  async noteNudge(key: WebhookKey): Promise<boolean> {
    const now = this.#clock();
    const item = await this.#table.updateOnce(keyOf(key), {
      UpdateExpression: "SET nudgedAt = :now",
      ConditionExpression: `${isDue} AND (attribute_not_exists(nudgedAt) OR nudgedAt <= :lost)`,
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: { ":active": "active", ":now": now, ":lost": now - lostMilliseconds },
    });
    return item !== undefined;
  }

  /** Note that the message could not be sent. */
  async forgetNudge(key: WebhookKey): Promise<void> {
    const update = { UpdateExpression: "REMOVE nudgedAt", ConditionExpression: exists };
    await this.#commits([this.#table.updateWrite(keyOf(key), update)]);
  }

  /** Lease a webhook for sending. @returns undefined if another run has the lease, or nothing may be sent now */
  async lease(key: WebhookKey, { token, milliseconds }: Lease): Promise<Webhook | undefined> {
    const now = this.#clock();
    const item = await this.#table.updateOnce(keyOf(key), {
      UpdateExpression: "SET #lease = :lease, leasedUntil = :until REMOVE nudgedAt",
      ConditionExpression: isDue,
      ExpressionAttributeNames: { "#status": "status", ...isLeased.names },
      ExpressionAttributeValues: {
        ":active": "active",
        ":lease": token,
        ":until": now + milliseconds,
        ":now": now,
      },
    });
    return item && webhookItem.parse(item);
  }

  /**
   * Give the lease back.
   * @param isNudged whether a message about further waiting events is sent
   * @returns false if the lease has been lost
   */
  release(key: WebhookKey, { token }: Lease, isNudged: boolean): Promise<boolean> {
    return this.#commits([
      this.#table.updateWrite(keyOf(key), {
        UpdateExpression: `${isNudged ? "SET nudgedAt = :now " : ""}REMOVE #lease, leasedUntil`,
        ConditionExpression: isLeased.condition,
        ExpressionAttributeNames: isLeased.names,
        ExpressionAttributeValues: { ":lease": token, ...(isNudged && { ":now": this.#clock() }) },
      }),
    ]);
  }

  /** Note a success, which also renews the lease. @returns false if the lease has been lost */
  noteDelivered(
    webhook: Webhook,
    { token, milliseconds }: Lease,
    delivery: Delivery,
    attempt: Attempt,
    isQuick: boolean,
  ): Promise<boolean> {
    return this.#commits([
      this.#table.updateWrite(keyOf(webhook), {
        UpdateExpression:
          "SET settledUpTo = :place, failures = :none, isQuick = :quick, leasedUntil = :until " +
          "REMOVE failingSince, nextAttemptAt ADD waiting :less",
        ConditionExpression: isLeased.condition,
        ExpressionAttributeNames: isLeased.names,
        ExpressionAttributeValues: {
          ":place": delivery.place,
          ":none": 0,
          ":quick": isQuick,
          ":until": this.#clock() + milliseconds,
          ":less": -1,
          ":lease": token,
        },
      }),
      this.logAttempt(delivery, attempt),
    ]);
  }

  /** Writes for a failed attempt, which also give back the lease; rejected as `StaleReadError` if it has been lost. */
  noteFailed(
    webhook: Webhook,
    { token }: Lease,
    delivery: Delivery,
    attempt: Attempt,
    failure: Failure,
  ): Write[] {
    const { failures, failingSince, nextAttemptAt, givenUp } = failure;
    return [
      this.#table.updateWrite(keyOf(webhook), {
        UpdateExpression: `SET failures = :failures, failingSince = :since, nextAttemptAt = :next, isQuick = :no${
          givenUp ? ", settledUpTo = :upTo" : ""
        } REMOVE #lease, leasedUntil${givenUp ? " ADD waiting :less" : ""}`,
        ConditionExpression: isLeased.condition,
        ExpressionAttributeNames: isLeased.names,
        ExpressionAttributeValues: {
          ":failures": failures,
          ":since": failingSince,
          ":next": nextAttemptAt,
          ":no": false,
          ":lease": token,
          ...(givenUp && { ":upTo": givenUp.upTo, ":less": -givenUp.number }),
        },
      }),
      this.logAttempt(delivery, attempt),
    ];
  }

  /** As `noteFailed`, for the last attempt: the webhook is switched off, and waiting events are given up. */
  noteOff(
    webhook: Webhook,
    { token }: Lease,
    delivery: Delivery,
    attempt: Attempt,
    reason: "failing" | "gone",
  ) {
    return [
      this.#table.updateWrite(keyOf(webhook), {
        UpdateExpression: "SET #status = :off, offReason = :reason REMOVE #lease, leasedUntil, nextAttemptAt",
        ConditionExpression: isLeased.condition,
        ExpressionAttributeNames: { "#status": "status", ...isLeased.names },
        ExpressionAttributeValues: { ":off": "off", ":reason": reason, ":lease": token },
      }),
      this.logAttempt(delivery, attempt),
    ];
  }

  /** Note an attempt in the log. */
  logAttempt({ webhookId, place }: Delivery, { isDelivered, answer, problem }: Attempt): Write {
    const now = this.#clock();
    const set = [
      "attemptedAt = :now",
      ...(isDelivered ? ["deliveredAt = :now"] : []),
      ...(answer === undefined ? [] : ["answer = :answer"]),
      ...(problem === undefined ? [] : ["problem = :problem"]),
    ];
    const removed = [
      ...(answer === undefined ? ["answer"] : []),
      ...(problem === undefined ? ["problem"] : []),
    ];
    return this.#table.updateWrite(
      { owner: `deliveries#${webhookId}`, entry: place },
      {
        UpdateExpression: `SET ${set.join(", ")}${removed.length > 0 ? ` REMOVE ${removed.join(", ")}` : ""} ADD attempts :one`,
        ConditionExpression: exists,
        ExpressionAttributeValues: {
          ":now": now,
          ":one": 1,
          ...(answer !== undefined && { ":answer": answer }),
          ...(problem !== undefined && { ":problem": problem }),
        },
      },
    );
  }

  /** The waiting events of a webhook, the oldest first. */
  async *waiting(webhook: Webhook): AsyncGenerator<Delivery> {
    const query = {
      range: "entry > :settled",
      ExpressionAttributeValues: { ":settled": webhook.settledUpTo },
      firstLimit: 100,
    };
    for await (const item of this.#table.query(deliveriesOf(webhook), query)) yield deliveryItem.parse(item);
  }

  /** Newest deliveries first, from before a place on. */
  async newest(webhook: Webhook, limit: number, before?: string): Promise<Delivery[]> {
    const owner = deliveriesOf(webhook);
    const oldest = this.#startOfLog();
    // DynamoDB refuses a start outside of the range.
    if (before !== undefined && before <= oldest) return [];
    const { Items = [] } = await this.#table.page(owner, {
      Limit: limit,
      ScanIndexForward: false,
      range: "entry > :oldest",
      ExpressionAttributeValues: { ":oldest": oldest },
      ...(before !== undefined && { ExclusiveStartKey: { owner, entry: before } }),
    });
    return Items.map((item) => deliveryItem.parse(item));
  }

  async delivery(webhook: Webhook, place: string): Promise<Delivery | undefined> {
    if (place < this.#startOfLog()) return undefined;
    const item = await this.#table.get({ owner: deliveriesOf(webhook), entry: place });
    return item && deliveryItem.parse(item);
  }

  /** Earlier entries count as purged, which they soon will be. */
  #startOfLog(): string {
    return new Date(this.#clock() - logDays * dayMilliseconds).toISOString();
  }

  async #commits(writes: readonly Write[]): Promise<boolean> {
    try {
      await transact(this.#context.dynamo, writes);
      return true;
    } catch (error) {
      if (error instanceof StaleReadError) return false;
      throw error;
    }
  }
}
