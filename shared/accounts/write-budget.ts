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

/** The user whose budget it is. */
export type Spender = Pick<Account, "userId"> & Partial<Pick<Account, "status">>;

/**
 * The account that pays for the writes of a user or bot. The user who added a bot pays for it, because bots cost
 * nothing. A bot added before this was recorded pays for itself.
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
 * Writes that charge a user's daily budget for the bytes that a change and its event store. They join the transaction
 * of the change, so a change that fails costs nothing. Rejected as `RateLimitedError`. Where the status of the user is
 * not known, the budget is that of users who are not anonymous.
 */
export const chargeBytes = ({ budget, settings }: BudgetDeps, spender: Spender, bytes = 0): Write[] =>
  budget.spendWrites(bucketOf(spender), overheadBytes + bytes, limitOf(spender, settings));

/**
 * Charge the budget in a separate call, for changes that a user makes concurrently: in transactions, each would wait
 * for the others. A change that fails is charged, too.
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
 * Charge a user's budget while the account is still being read, so that no request waits for both. The smaller budget
 * of an anonymous user is compared afterwards.
 * @throws RateLimitedError
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

/** Reset the budget of a user for today. */
export const resetWrites = ({ budget }: Pick<BudgetDeps, "budget">, spender: Spender): Promise<void> =>
  budget.reset(bucketOf(spender));

const bucketOf = ({ userId }: Spender) => `bytes#${userId}`;
const uploadsOf = ({ userId }: Spender) => `uploads#${userId}`;

const limitOf = ({ status }: Spender, { setDailyWriteBudget: { perUser, perAnonymousUser } }: Settings) =>
  status === "ephemeral" ? perAnonymousUser : perUser;
