import { type DynamoDBDocumentClient, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { type Clock, toSeconds } from "../../clock.ts";
import type { Config } from "../../config.ts";
import { ApiError } from "../../errors.ts";
import type { Settings } from "../../settings.ts";
import { onConditionFailed, retryStale, StaleReadError } from "../conditions.ts";
import { takeToken } from "../token-bucket.ts";

/** What is on record of a user's password checks. Times are unix milliseconds. */
const checksItem = z.object({
  revision: z.int(),
  /** Token bucket of `setPasswordHashingRateLimit.perUser`. */
  tat: z.int().optional(),
  /** Failed logins in the current window of `setLimitFailedLogins`, those under way included. */
  failures: z.object({ count: z.int(), since: z.int() }).optional(),
});
type Checks = z.infer<typeof checksItem>;

/** Some of the difference that the clocks of two containers may have. */
const graceSeconds = 60;

/**
 * Limits on checking passwords, per user and, alike, per identity that nobody has. A check is charged before the hash is
 * computed, the same way for right and wrong passwords: neither answer nor time tells the verdict of a refused one.
 * Access pattern: by user.
 */
export class PasswordCheckLimiter {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #settings: Settings;
  readonly #clock: Clock;

  constructor(client: DynamoDBDocumentClient, config: Config, clock: Clock) {
    this.#client = client;
    this.#tableName = config.tableName("accounts");
    this.#settings = config.settings;
    this.#clock = clock;
  }

  /**
   * Charge one check: as if it failed, until `refund`.
   * @throws ApiError `login-budget-exhausted` or `too-many-requests`, both with `Retry-After`
   */
  async charge(userId: string): Promise<void> {
    const { setLimitFailedLogins, setPasswordHashingRateLimit } = this.#settings;
    if (setLimitFailedLogins === undefined && setPasswordHashingRateLimit.perUser.refillSeconds === 0) return;
    let current: Checks | undefined;
    await retryStale(async () => {
      const put = new PutCommand({
        TableName: this.#tableName,
        Item: this.#toItem(userId, this.#charged(current)),
        ...(current === undefined
          ? {
              ConditionExpression: "attribute_not_exists(pk) OR expiresAtSeconds <= :now",
              ExpressionAttributeValues: { ":now": toSeconds(this.#clock()) },
            }
          : {
              ConditionExpression: "revision = :revision",
              ExpressionAttributeValues: { ":revision": current.revision },
            }),
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
      await onConditionFailed(this.#client.send(put), (existing) => {
        current = existing && checksItem.parse(existing);
        throw new StaleReadError("password checks");
      });
    });
  }

  /** The password was right: the charged check was no failure after all. */
  async refund(userId: string): Promise<void> {
    if (this.#settings.setLimitFailedLogins === undefined) return;
    const update = new UpdateCommand({
      TableName: this.#tableName,
      Key: checksKey(userId),
      UpdateExpression: "SET failures.#count = failures.#count - :one ADD revision :one",
      ConditionExpression: "failures.#count > :zero",
      ExpressionAttributeNames: { "#count": "count" },
      ExpressionAttributeValues: { ":one": 1, ":zero": 0 },
    });
    await onConditionFailed(this.#client.send(update), () => undefined);
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
      throw new ApiError("login-budget-exhausted", {
        retryAfterSeconds: (current.since + window - now) / 1000,
      });
    }
    return { ...current, count: current.count + 1 };
  }

  /** Kept as long as it says anything. */
  #toItem(userId: string, checks: Checks) {
    const budgetEnd =
      (checks.failures?.since ?? 0) + (this.#settings.setLimitFailedLogins?.timeout ?? 0) * 1000;
    const expiresAtSeconds = toSeconds(Math.max(this.#clock(), checks.tat ?? 0, budgetEnd)) + graceSeconds;
    return { ...checksKey(userId), ...checks, expiresAtSeconds };
  }
}

const checksKey = (userId: string) => ({ pk: `user#${userId}`, sk: "password-checks" });
