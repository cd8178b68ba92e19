import type * as z from "zod";
import { type Account, currentStatus } from "#shared/accounts/account.ts";
import { loginBuckets } from "#shared/accounts/credentials/charge-password-check.ts";
import { type Identity, identitiesOf } from "#shared/accounts/identity.ts";
import { generationLimits } from "#shared/accounts/second-factor/mail-second-factor-code.ts";
import { secondFactorAction, secondFactorKey } from "#shared/accounts/second-factor/second-factor.ts";
import { resetWrites, writesRefusedFor } from "#shared/accounts/write-budget.ts";
import type { CodePurpose } from "#shared/codes/code.ts";
import { hashedKey } from "#shared/codes/code-store.ts";
import { issueCode } from "#shared/codes/issue-code.ts";
import { allDone } from "#shared/platform/all-done.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { commit } from "#shared/platform/messaging/change.ts";
import { type BucketLimits, RateLimitedError } from "#shared/platform/rate-limit/token-bucket.ts";
import type { Deps } from "./deps.ts";
import type { userLimits } from "./routes.ts";

type Limit = z.input<typeof userLimits>["limits"][number];

/**
 * List the limits that refuse the logins, codes and changes of a user now, except limits of networks.
 *
 * @throws ApiError `not-found`
 * @see operation `i-get-user-limits`
 */
export async function findLimits(deps: Deps, userId: string): Promise<Limit[]> {
  const { passwordChecks } = deps;
  const account = await existingAccount(deps, userId);
  const found = await Promise.all([
    ...loginIdentities(deps, account).map((identity) => loginLimits(deps, identity)),
    ...codesOf(deps, userId).map((code) => codeLimit(deps, code)),
    passwordChecks
      .refusals({ userId })
      .then((states) => states.map((state): Refusal => ({ limit: "password-checks", ...state }))),
    writesRefusedFor(deps, account).then((seconds): Refusal[] => [
      { limit: "writes", retryAfterSeconds: seconds },
    ]),
  ]);
  return found
    .flat()
    .filter(({ retryAfterSeconds }) => retryAfterSeconds > 0)
    .map(({ limit, identity, network, retryAfterSeconds }) => ({
      limit,
      identity: identity?.value,
      network,
      retry_after_seconds: Math.ceil(retryAfterSeconds),
    }));
}

/**
 * Reset these limits, and withdraw the pending second-factor and password reset codes, because wrong attempts at them
 * count, too.
 *
 * @throws ApiError `not-found`
 * @see operation `i-reset-user-limits`
 */
export async function resetLimits(deps: Deps, userId: string): Promise<void> {
  const { codes, passwordChecks } = deps;
  const account = await existingAccount(deps, userId);
  await recordOrder(deps, userId);
  await allDone([
    ...loginIdentities(deps, account).map((identity) => resetLogins(deps, identity)),
    ...codesOf(deps, userId).map(({ purpose, key }) => codes.remove(purpose, key)),
    passwordChecks.forget({ userId }),
    resetWrites(deps, account),
  ]);
}

/**
 * Withdraw the pending second-factor codes of a user, with their wrong attempts and the delay before the next.
 *
 * @throws ApiError `not-found`
 * @see operation `i-delete-verification-codes`
 */
export async function withdrawSecondFactorCodes(deps: Deps, userId: string): Promise<void> {
  await existingAccount(deps, userId);
  await recordOrder(deps, userId);
  const keys = secondFactorAction.options.map((action) => secondFactorKey(userId, action));
  await allDone(keys.map((key) => deps.codes.remove("second-factor", key)));
}

/** Recorded before the deletions, which are not one transaction; a repetition completes them. */
const recordOrder = ({ accounts, dynamo }: Deps, userId: string) =>
  commit(dynamo, { writes: [accounts.requireNotDeleted(userId)] });

async function existingAccount({ accounts, clock }: Deps, userId: string): Promise<Account> {
  const account = await accounts.get(userId);
  if (account === undefined || currentStatus(account, clock()) === "deleted") throw new ApiError("not-found");
  return account;
}

const loginKinds: readonly Identity["kind"][] = ["email", "phone", "handle"];

const loginIdentities = ({ settings }: Deps, account: Account): Identity[] =>
  identitiesOf(account, settings).filter(({ kind }) => loginKinds.includes(kind));

/** A limit that may refuse something. */
interface Refusal {
  readonly limit: Limit["limit"];
  readonly identity?: Identity;
  readonly network?: string | undefined;
  readonly retryAfterSeconds: number;
}

async function loginLimits(deps: Deps, identity: Identity): Promise<Refusal[]> {
  const { passwordChecks, rateLimiter, settings } = deps;
  const limit = "logins";
  const states = await passwordChecks.refusals(identity);
  const networks = states.flatMap(({ network }) => network ?? []);
  const buckets = loginBuckets(identity, networks, settings);
  return [
    ...states.map((state) => ({ limit, identity, ...state }) as const),
    ...(await Promise.all(
      buckets.map(async ({ bucket, limits, network }) => {
        const retryAfterSeconds = await rateLimiter.refusal(bucket, limits);
        return { limit, identity, network, retryAfterSeconds } as const;
      }),
    )),
  ];
}

async function resetLogins(deps: Deps, identity: Identity): Promise<void> {
  const { passwordChecks, rateLimiter, settings } = deps;
  const networks = await passwordChecks.forget(identity);
  await allDone(loginBuckets(identity, networks, settings).map(({ bucket }) => rateLimiter.refill(bucket)));
}

interface UserCode {
  readonly limit: Limit["limit"];
  readonly purpose: CodePurpose;
  readonly key: string;
  readonly deliveryLimits: BucketLimits;
}

const codesOf = ({ settings }: Deps, userId: string): UserCode[] => [
  ...secondFactorAction.options.map((action) => ({
    limit: "second-factor-codes" as const,
    purpose: "second-factor" as const,
    key: secondFactorKey(userId, action),
    deliveryLimits: generationLimits(settings),
  })),
  {
    limit: "password-reset-codes",
    purpose: "password-reset",
    key: hashedKey(userId),
    deliveryLimits: settings.setCodeDeliveryRateLimit,
  },
];

/** Whether another code would be refused now. */
async function codeLimit(
  { clock, codes, settings }: Deps,
  { limit, purpose, key, deliveryLimits }: UserCode,
): Promise<Refusal[]> {
  const previous = await codes.get(purpose, key);
  try {
    issueCode({ purpose, key }, previous, { lifetimeSeconds: 0, settings, now: clock(), deliveryLimits });
    return [];
  } catch (error) {
    if (!(error instanceof RateLimitedError)) throw error;
    return [{ limit, retryAfterSeconds: error.retryAfterSeconds }];
  }
}
