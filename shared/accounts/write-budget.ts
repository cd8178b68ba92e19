import type { Write } from "#shared/platform/data/conditions.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Account } from "./account.ts";
import type { AccountDeps } from "./account-deps.ts";

/** Bytes counted for every change, however small: its keys, its index and the envelope of its event are stored, too. */
const overheadBytes = 1024;

type BudgetDeps = Pick<AccountDeps, "budget" | "settings">;

type Spender = Pick<Account, "userId"> & Partial<Pick<Account, "status">>;

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

/** Seconds until a user may store something again; 0: it is possible. */
export const writesRefusedFor = ({ budget, settings }: BudgetDeps, spender: Spender): Promise<number> =>
  budget.refusal(bucketOf(spender), overheadBytes, limitOf(spender, settings));

/** Forget what a user has stored today. */
export const resetWrites = ({ budget }: Pick<BudgetDeps, "budget">, spender: Spender): Promise<void> =>
  budget.reset(bucketOf(spender));

const bucketOf = ({ userId }: Spender) => `bytes#${userId}`;

const limitOf = ({ status }: Spender, { setDailyWriteBudget: { perUser, perAnonymousUser } }: Settings) =>
  status === "ephemeral" ? perAnonymousUser : perUser;
