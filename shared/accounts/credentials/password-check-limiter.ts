import * as z from "zod";
import { allDone } from "#shared/platform/all-done.ts";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";
import { RateLimitedError } from "#shared/platform/rate-limit/token-bucket.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Identity } from "../identity.ts";

/** Too many checks have failed in the current window. */
export class LoginBudgetExhaustedError extends Error {
  override readonly name = "LoginBudgetExhaustedError";
  /** Seconds until the window ends. */
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super(`No login for ${retryAfterSeconds} s`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Logins with an identity from a network, whether or not anybody holds the identity. */
export interface LoginScope {
  readonly identity: { readonly kind: Identity["kind"] | "provider-email"; readonly key: string };
  readonly network: string;
}

/** Checks that are limited together: logins of a scope, or those within the sessions of a user or a provider. */
export type CheckScope = LoginScope | { readonly userId: string };

/** The checks that an operator asks about: within the sessions of a user, or logins with an identity from anywhere. */
type CheckOwner = { readonly userId: string } | LoginScope["identity"];

/** Maximum number of networks that an operator's request reads for an identity, so that it always ends in time. */
const maxScopes = 200;

/** Checks of one scope so far. Times are unix milliseconds. */
const checksItem = storedItem(
  {
    table: "accounts",
    kind: "password-checks",
    key: ["*", "password-checks*"],
    subject: { user: "partition", secrets: ["sk"], remains: "limits on guessing, until they expire" },
  },
  storedObject({
    /** Token bucket of `setPasswordHashingRateLimit.perUser`. */
    tat: z.int().optional(),
    /** Failed checks in the current window of `setLimitFailedLogins`, including those under way. */
    failures: z.int().optional(),
    windowEndsAt: z.int().optional(),
    /** Logins only: until when the network counts as used by the owner. */
    familiarUntil: z.int().optional(),
  }),
);
type Checks = Stored<typeof checksItem>;

/** A condition for charging a check to a limit, and the update. */
interface Charge {
  readonly condition: string;
  readonly changes: string;
  readonly values: Readonly<Record<string, number>>;
}

const daySeconds = 86_400;
/** How long a network stays familiar after a login. */
const familiarSeconds = 60 * daySeconds;

/**
 * Limits password checks. A check is charged before the hash is computed, whether or not the password is right: neither
 * the response nor its timing reveals whether the password of a refused check was right. Charges are updates that need
 * no prior read, so concurrent ones never conflict. Access pattern: by scope.
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
   *
   * @returns whether somebody has recently logged in with this identity from this network
   * @throws LoginBudgetExhaustedError, RateLimitedError
   */
  async charge(scope: CheckScope): Promise<{ isFamiliar: boolean }> {
    if (this.#isOff()) return { isFamiliar: false };
    const now = this.#clock();
    const purge = toSeconds(now) + daySeconds + (this.#settings.setLimitFailedLogins?.timeout ?? 0);
    let existing: Checks = {};
    for (;;) {
      const charges = [...this.#failureCharge(existing, now), ...this.#bucketCharge(existing, now)];
      const changes = charges.map((charge) => charge.changes);
      let unreadable = false;
      const stored = await this.#table.updateOnce(
        checksKey(scope),
        {
          UpdateExpression: `SET ${changes.join(", ")}, expiresAtSeconds = if_not_exists(expiresAtSeconds, :purge)`,
          ConditionExpression: charges.map(({ condition }) => condition).join(" AND "),
          ExpressionAttributeValues: Object.assign(
            { ":now": now, ":purge": purge },
            ...charges.map(({ values }) => values),
          ),
        },
        (old = {}) => {
          const checks = checksItem.parseOrAbsent(old);
          unreadable = checks === undefined;
          existing = checks ?? {};
        },
      );
      if (stored !== undefined)
        return { isFamiliar: (checksItem.parseOrAbsent(stored)?.familiarUntil ?? 0) > now };
      // Otherwise the scope would be refused forever.
      if (unreadable) await this.#table.delete(checksKey(scope));
    }
  }

  /** Stop counting a charged check as failed, because the password was right. */
  async refund(scope: CheckScope): Promise<void> {
    if (this.#settings.setLimitFailedLogins === undefined) return;
    await this.#table.updateOnce(checksKey(scope), {
      UpdateExpression: "SET failures = failures - :one",
      ConditionExpression: "failures > :zero",
      ExpressionAttributeValues: { ":one": 1, ":zero": 0 },
    });
  }

  /** Record that the owner of an identity uses a network. */
  async rememberNetwork(scope: LoginScope): Promise<void> {
    if (this.#isOff()) return;
    const until = this.#clock() + familiarSeconds * 1000;
    await this.#table.update(checksKey(scope), {
      UpdateExpression: "SET familiarUntil = :until, expiresAtSeconds = :purge",
      ExpressionAttributeValues: { ":until": until, ":purge": toSeconds(until) + daySeconds },
    });
  }

  /**
   * Find out which checks of a user are refused now: within sessions, or logins with an identity, by network.
   *
   * @returns seconds until the next check is allowed, 0 if it is now; for an identity, at most `maxScopes` networks
   */
  async refusals(of: CheckOwner): Promise<{ network: string | undefined; retryAfterSeconds: number }[]> {
    const now = this.#clock();
    const scopes = await this.#scopesOf(of);
    return scopes.map(({ network, checks }) => {
      try {
        this.#failureCharge(checks, now);
        this.#bucketCharge(checks, now);
        return { network, retryAfterSeconds: 0 };
      } catch (error) {
        const isRefusal = error instanceof LoginBudgetExhaustedError || error instanceof RateLimitedError;
        if (!isRefusal) throw error;
        return { network, retryAfterSeconds: error.retryAfterSeconds };
      }
    });
  }

  /**
   * Forget the failed checks of a user's sessions, or with an identity in up to `maxScopes` networks, but not which
   * networks the owner uses.
   * @returns the networks
   */
  async forget(of: CheckOwner): Promise<string[]> {
    const scopes = await this.#scopesOf(of);
    await allDone(
      scopes.map(({ key }) =>
        this.#table.updateOnce(key, {
          UpdateExpression: "REMOVE tat, failures, windowEndsAt",
          ConditionExpression: "attribute_exists(pk)",
        }),
      ),
    );
    return scopes.flatMap(({ network }) => network ?? []);
  }

  async #scopesOf(of: CheckOwner) {
    const { pk, sk } = checksKey("userId" in of ? of : { identity: of, network: "" });
    const { Items = [] } = await this.#table.page(pk, {
      range: "begins_with(sk, :checks)",
      ExpressionAttributeValues: { ":checks": sk },
      Limit: maxScopes,
    });
    return Items.map((item) => {
      const key = { pk, sk: String(item.sk) };
      return { key, network: key.sk.split("#")[1], checks: checksItem.parseOrAbsent(item) ?? {} };
    });
  }

  #isOff(): boolean {
    const { setLimitFailedLogins, setPasswordHashingRateLimit } = this.#settings;
    return setLimitFailedLogins === undefined && setPasswordHashingRateLimit.perUser.refillSeconds === 0;
  }

  /** @throws LoginBudgetExhaustedError */
  #failureCharge({ failures = 0, windowEndsAt = 0 }: Checks, now: number): Charge[] {
    const limit = this.#settings.setLimitFailedLogins;
    if (limit === undefined) return [];
    if (windowEndsAt <= now) {
      return [
        {
          condition: "(attribute_not_exists(windowEndsAt) OR windowEndsAt <= :now)",
          changes: "failures = :one, windowEndsAt = :end",
          values: { ":one": 1, ":end": now + limit.timeout * 1000 },
        },
      ];
    }
    if (failures >= limit.retryLimit) throw new LoginBudgetExhaustedError((windowEndsAt - now) / 1000);
    return [
      {
        condition: "windowEndsAt > :now AND failures < :limit",
        changes: "failures = failures + :one",
        values: { ":one": 1, ":limit": limit.retryLimit },
      },
    ];
  }

  /** @throws RateLimitedError */
  #bucketCharge({ tat = 0 }: Checks, now: number): Charge[] {
    const { burst, refillSeconds } = this.#settings.setPasswordHashingRateLimit.perUser;
    if (refillSeconds === 0) return [];
    const interval = refillSeconds * 1000;
    const last = now + (burst - 1) * interval;
    if (tat <= now) {
      return [
        {
          condition: "(attribute_not_exists(tat) OR tat <= :now)",
          changes: "tat = :next",
          values: { ":next": now + interval },
        },
      ];
    }
    if (tat > last) throw new RateLimitedError((tat - last) / 1000);
    return [
      {
        condition: "tat > :now AND tat <= :last",
        changes: "tat = tat + :interval",
        values: { ":last": last, ":interval": interval },
      },
    ];
  }
}

const checksKey = (scope: CheckScope) =>
  "userId" in scope
    ? { pk: `user#${scope.userId}`, sk: "password-checks" }
    : { pk: `${scope.identity.kind}#${scope.identity.key}`, sk: `password-checks#${scope.network}` };
