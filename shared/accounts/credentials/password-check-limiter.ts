import * as z from "zod";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import {
  isAtRevision,
  onConditionFailed,
  retryStale,
  StaleReadError,
} from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { Table } from "#shared/platform/data/table.ts";
import { takeToken } from "#shared/platform/rate-limit/token-bucket.ts";
import type { Settings } from "#shared/registry/settings.ts";

/** Too many logins of a user have failed in the current window. */
export class LoginBudgetExhaustedError extends Error {
  override readonly name = "LoginBudgetExhaustedError";
  /** Seconds until the window ends. */
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super(`No login for ${retryAfterSeconds} s`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A user's password checks so far. Times are unix milliseconds. */
const checksItem = z.object({
  revision: z.int(),
  /** Token bucket of `setPasswordHashingRateLimit.perUser`. */
  tat: z.int().optional(),
  /** Failed logins in the current window of `setLimitFailedLogins`, those under way included. */
  failures: z.object({ count: z.int(), since: z.int() }).optional(),
});
type Checks = z.infer<typeof checksItem>;

/** Allowance for clocks of different containers. */
const graceSeconds = 60;

/**
 * Limits password checks per user, and in the same way per identity that nobody holds. A check is charged before the
 * hash is computed, whether or not the password is right: neither the response nor its timing reveals whether the
 * password of a refused check was right.
 * Access pattern: by user.
 */
export class PasswordCheckLimiter {
  readonly #table: Table<"accounts">;
  readonly #settings: Settings;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "accounts");
    this.#settings = context.config.settings;
    this.#clock = context.clock;
  }

  /**
   * Charge one check, which counts as failed until `refund`.
   * @throws LoginBudgetExhaustedError, RateLimitedError
   */
  async charge(userId: string): Promise<void> {
    const { setLimitFailedLogins, setPasswordHashingRateLimit } = this.#settings;
    if (setLimitFailedLogins === undefined && setPasswordHashingRateLimit.perUser.refillSeconds === 0) return;
    let current: Checks | undefined;
    await retryStale(async () => {
      const put = this.#table.put(this.#toItem(userId, this.#charged(current)), {
        ...(current === undefined
          ? {
              ConditionExpression: "attribute_not_exists(pk) OR expiresAtSeconds <= :now",
              ExpressionAttributeValues: { ":now": toSeconds(this.#clock()) },
            }
          : isAtRevision(current.revision)),
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
      await onConditionFailed(put, (existing) => {
        current = existing && checksItem.parse(existing);
        throw new StaleReadError("password checks");
      });
    });
  }

  /** Stop counting a charged check as failed, because the password was right. */
  async refund(userId: string): Promise<void> {
    if (this.#settings.setLimitFailedLogins === undefined) return;
    const update = this.#table.update(checksKey(userId), {
      UpdateExpression: "SET failures.#count = failures.#count - :one ADD revision :one",
      ConditionExpression: "failures.#count > :zero",
      ExpressionAttributeNames: { "#count": "count" },
      ExpressionAttributeValues: { ":one": 1, ":zero": 0 },
    });
    await onConditionFailed(update, () => undefined);
  }

  #charged(current: Checks | undefined): Checks {
    const now = this.#clock();
    return {
      revision: (current?.revision ?? 0) + 1,
      failures: this.#countedFailure(current?.failures, now),
      tat: takeToken(current?.tat, this.#settings.setPasswordHashingRateLimit.perUser, now),
    };
  }

  #countedFailure(failures: Checks["failures"], now: number): Checks["failures"] {
    const limit = this.#settings.setLimitFailedLogins;
    if (limit === undefined) return undefined;
    const window = limit.timeout * 1000;
    const current = failures && failures.since + window > now ? failures : { count: 0, since: now };
    if (current.count >= limit.retryLimit) {
      throw new LoginBudgetExhaustedError((current.since + window - now) / 1000);
    }
    return { ...current, count: current.count + 1 };
  }

  /** The item expires when neither bucket nor window limits anything any more. */
  #toItem(userId: string, checks: Checks) {
    const budgetEnd =
      (checks.failures?.since ?? 0) + (this.#settings.setLimitFailedLogins?.timeout ?? 0) * 1000;
    const expiresAtSeconds = toSeconds(Math.max(this.#clock(), checks.tat ?? 0, budgetEnd)) + graceSeconds;
    return { ...checksKey(userId), ...checks, expiresAtSeconds };
  }
}

const checksKey = (userId: string) => ({ pk: `user#${userId}`, sk: "password-checks" });
