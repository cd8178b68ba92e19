import type { Clock } from "#shared/platform/clock.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { RateLimitedError } from "#shared/platform/rate-limit/token-bucket.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type Account, currentStatus } from "./account.ts";
import type { AccountDeps } from "./account-deps.ts";
import type { AccountStore } from "./account-store.ts";

/** Bytes counted for every change, however small: its keys, its index and the envelope of its event are stored, too. */
const overheadBytes = 1024;

type BudgetDeps = Pick<AccountDeps, "budget" | "settings">;

/** Whose budget it is. */
export type Spender = Pick<Account, "userId"> & Partial<Pick<Account, "status">>;

/**
 * Who pays for what a user or bot stores: bots cost nothing, so it is whoever has added the bot. A bot that was added
 * before this was noted pays for itself.
 */
export async function payerOf(
  { accounts, clock }: { readonly accounts: Pick<AccountStore, "get">; readonly clock: Clock },
  id: string,
): Promise<Spender> {
  const account = await accounts.get(id);
  const payer = account?.addedBy === undefined ? account : await accounts.get(account.addedBy);
  return payer === undefined
    ? { userId: account?.addedBy ?? id }
    : { userId: payer.userId, status: currentStatus(payer, clock()) };
}

/**
 * Writes that charge a user's daily budget for what a change stores for the user and in its event. They join the
 * transaction of the change, so a change that fails costs nothing. Rejected as `RateLimitedError`.
 * Where the status of the user is not known, the budget is that of users who are not anonymous.
 */
export const chargeBytes = ({ budget, settings }: BudgetDeps, spender: Spender, bytes = 0): Write[] =>
  budget.spendWrites(bucketOf(spender), overheadBytes + bytes, limitOf(spender, settings));

/**
 * Charge the budget by a call of its own, for changes that users make many of at the same time: in transactions, each
 * would have to wait for the others. A change that fails is charged, too.
 *
 * @throws RateLimitedError
 */
export const spendBytes = ({ budget, settings }: BudgetDeps, spender: Spender, bytes = 0): Promise<void> =>
  budget.spend(bucketOf(spender), overheadBytes + bytes, limitOf(spender, settings));

/** Charge the budget for uploads in the same way. @throws RateLimitedError */
export const spendUpload = (
  { budget, settings: { setDailyUploadBudget } }: BudgetDeps,
  { userId, status }: Spender,
  bytes: number,
): Promise<void> => {
  const { perUser, perAnonymousUser } = setDailyUploadBudget;
  return budget.spend(
    uploadsOf({ userId }),
    overheadBytes + bytes,
    status === "ephemeral" ? perAnonymousUser : perUser,
  );
};

/**
 * Charge a user's budget while it is still being read who the user is, so that no request waits for both. The smaller one
 * of an anonymous user is compared afterwards. @throws RateLimitedError
 */
export async function spendWhileReading(
  deps: BudgetDeps,
  {
    userId,
    budget,
    bytes,
  }: Pick<Account, "userId"> & { readonly budget: "changes" | "uploads"; bytes: number },
  reading: Promise<Spender>,
): Promise<void> {
  const isUpload = budget === "uploads";
  const [{ status }] = await Promise.all([
    reading,
    (isUpload ? spendUpload : spendBytes)(deps, { userId }, bytes),
  ]);
  if (status !== "ephemeral") return;
  const { setDailyUploadBudget, setDailyWriteBudget } = deps.settings;
  const { perAnonymousUser } = isUpload ? setDailyUploadBudget : setDailyWriteBudget;
  const bucket = isUpload ? uploadsOf({ userId }) : bucketOf({ userId });
  const seconds = await deps.budget.refusal(bucket, 0, perAnonymousUser);
  if (seconds > 0) throw new RateLimitedError(seconds);
}

/** Seconds until a user may store something again; 0: it is possible. */
export const writesRefusedFor = ({ budget, settings }: BudgetDeps, spender: Spender): Promise<number> =>
  budget.refusal(bucketOf(spender), overheadBytes, limitOf(spender, settings));

/** Forget what a user has stored today. */
export const resetWrites = ({ budget }: Pick<BudgetDeps, "budget">, spender: Spender): Promise<void> =>
  budget.reset(bucketOf(spender));

const bucketOf = ({ userId }: Spender) => `bytes#${userId}`;
const uploadsOf = ({ userId }: Spender) => `uploads#${userId}`;

const limitOf = ({ status }: Spender, { setDailyWriteBudget: { perUser, perAnonymousUser } }: Settings) =>
  status === "ephemeral" ? perAnonymousUser : perUser;
