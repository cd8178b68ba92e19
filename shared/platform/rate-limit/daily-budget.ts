import { type Clock, toSeconds } from "../clock.ts";
import type { Write } from "../data/conditions.ts";
import type { StoreContext } from "../data/store-context.ts";
import { Table } from "../data/table.ts";
import { type Bucket, limitOf, namesOf } from "./network.ts";
import { RateLimitedError } from "./token-bucket.ts";

const daySeconds = 86_400;

/**
 * Amounts that may be spent per day (UTC), shared by all function instances. Spending adds to a counter without reading
 * it, so concurrent calls never conflict. Access pattern: by budget and day.
 */
export class DailyBudget {
  readonly #table: Table<"rate-limits">;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "rate-limits");
    this.#clock = context.clock;
  }

  /** @param limit null for a budget without limit @throws RateLimitedError when less than the amount is left */
  async spend(budget: Bucket, amount: number, limit: number | null): Promise<void> {
    if (limit === null) return;
    for (const { name, network } of namesOf(budget)) {
      const { key, update, exhausted } = this.#spending(name, amount, limitOf(network, limit));
      if ((await this.#table.updateOnce(key, update)) === undefined) throw exhausted();
    }
  }

  /** The same as part of a transaction, rejected as `RateLimitedError`; no writes without a limit. */
  spendWrites(budget: string, amount: number, limit: number | null): Write[] {
    if (limit === null) return [];
    const { key, update, exhausted } = this.#spending(budget, amount, limit);
    return [this.#table.updateWrite(key, { ...update, onRejected: exhausted })];
  }

  #spending(budget: string, amount: number, limit: number) {
    const now = toSeconds(this.#clock());
    const endsAt = (Math.floor(now / daySeconds) + 1) * daySeconds;
    const exhausted = () => new RateLimitedError(endsAt - now);
    if (amount > limit) throw exhausted();
    return {
      key: { bucket: `${budget}#${endsAt / daySeconds - 1}` },
      update: {
        UpdateExpression: "SET spent = if_not_exists(spent, :zero) + :amount, purgeAtSeconds = :purge",
        ConditionExpression: "(attribute_not_exists(spent) OR spent <= :room)",
        ExpressionAttributeValues: {
          ":zero": 0,
          ":amount": amount,
          ":room": limit - amount,
          ":purge": endsAt + 1,
        },
      },
      exhausted,
    };
  }
}
