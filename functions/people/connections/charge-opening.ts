import type { Write } from "#shared/platform/data/conditions.ts";
import type { Deps } from "./deps.ts";

/**
 * Writes that charge a user's daily budgets for a connection that the user requests or unblocks, because both can be
 * undone and repeated, and notify the other user each time. Accepting, blocking and repeating a pending request are
 * free. The first request to a user counts towards the budget for all users only. Rejected as `RateLimitedError`.
 */
export const chargeOpening = (
  { budget, settings }: Pick<Deps, "budget" | "settings">,
  { userId, peerId, isFirst = false }: { userId: string; peerId: string; isFirst?: boolean },
): Write[] => {
  const { perPair, perSender } = settings.setConnectionRequestDailyBudget;
  const bucket = `connections#${userId}`;
  return [
    ...(isFirst ? [] : budget.spendWrites(`${bucket}#${peerId}`, 1, perPair)),
    ...budget.spendWrites(bucket, 1, perSender),
  ];
};
