import { allDone } from "../all-done.ts";
import { type Clock, toSeconds } from "../clock.ts";
import type { Write } from "../data/conditions.ts";
import type { StoreContext } from "../data/store-context.ts";
import { Table } from "../data/table.ts";
import { type Bucket, limitOf, namesOf } from "./network.ts";
import { RateLimitedError } from "./token-bucket.ts";

const daySeconds = 86_400;
/** Budgets that are spent together; fewer take one call each, in a single round trip. */
const fewestTogether = 4;

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

  /** Seconds until an amount may be spent again; 0: it may be spent now. */
  async refusal(budget: string, amount: number, limit: number | null): Promise<number> {
    if (limit === null) return 0;
    const { endsAt, exhausted } = this.#today();
    const item = await this.#table.get(keyOf(budget, endsAt));
    return Number(item?.spent ?? 0) + amount > limit ? exhausted().retryAfterSeconds : 0;
  }

  /** Reset the budget of today. */
  async reset(budget: string): Promise<void> {
    await this.#table.delete(keyOf(budget, this.#today().endsAt));
  }

  /**
   * Spend one of each of several budgets, independently of each other, in two calls for up to 25 of them.
   * @returns the budgets that are spent
   */
  async spendEach(
    budgets: readonly string[],
    limit: number | null,
  ): Promise<ReadonlyMap<string, RateLimitedError>> {
    const refusals = new Map<string, RateLimitedError>();
    if (limit === null) return refusals;
    const { endsAt, exhausted } = this.#today();
    const together = budgets.length < fewestTogether ? [] : budgets;
    const outcomes = await this.#table.countUpEach(
      together.map((budget) => keyOf(budget, endsAt)),
      { counter: "spent", amount: 1, max: limit, others: { purgeAtSeconds: endsAt + 1 } },
    );
    const spending = budgets.map(async (budget, index) => {
      try {
        if (outcomes[index] === "full") throw exhausted();
        if (outcomes[index] !== "counted") await this.spend(budget, 1, limit);
      } catch (error) {
        if (!(error instanceof RateLimitedError)) throw error;
        refusals.set(budget, error);
      }
    });
    await allDone(spending);
    return refusals;
  }

  /** The same as part of a transaction, rejected as `RateLimitedError`; no writes without a limit. */
  spendWrites(budget: string, amount: number, limit: number | null): Write[] {
    if (limit === null) return [];
    const { key, update, exhausted } = this.#spending(budget, amount, limit);
    return [this.#table.updateWrite(key, { ...update, onRejected: exhausted })];
  }

  #spending(budget: string, amount: number, limit: number) {
    const { endsAt, exhausted } = this.#today();
    if (amount > limit) throw exhausted();
    return {
      key: keyOf(budget, endsAt),
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

  #today() {
    const now = toSeconds(this.#clock());
    const endsAt = (Math.floor(now / daySeconds) + 1) * daySeconds;
    return { endsAt, exhausted: () => new RateLimitedError(endsAt - now) };
  }
}

/** Key of a budget for the day that ends then. */
const keyOf = (budget: string, endsAt: number) => ({ bucket: `${budget}#${endsAt / daySeconds - 1}` });
