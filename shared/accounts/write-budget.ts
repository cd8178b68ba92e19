import type { Write } from "#shared/platform/data/conditions.ts";
import type { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Account } from "./account.ts";

/** Bytes counted for every change, however small: its keys, its index and the envelope of its event are stored, too. */
const overheadBytes = 1024;

/**
 * Writes that charge a user's daily budget for what a change stores for the user and in its event. They join the
 * transaction of the change, so a change that fails costs nothing. Rejected as `RateLimitedError`.
 * Where the status of the user is not known, the budget is that of users who are not anonymous.
 */
export function chargeBytes(
  { budget, settings }: { budget: DailyBudget; settings: Settings },
  { userId, status }: Pick<Account, "userId"> & Partial<Pick<Account, "status">>,
  bytes = 0,
): Write[] {
  const { perUser, perAnonymousUser } = settings.setDailyWriteBudget;
  const limit = status === "ephemeral" ? perAnonymousUser : perUser;
  return budget.spendWrites(`bytes#${userId}`, overheadBytes + bytes, limit);
}
