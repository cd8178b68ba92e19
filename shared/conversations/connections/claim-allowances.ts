import { type Account, currentStatus, isActivated } from "#shared/accounts/account.ts";
import type { ConversationDeps } from "#shared/conversations/conversation-deps.ts";
import type { RateLimitedError } from "#shared/platform/rate-limit/token-bucket.ts";

/** Whether a user may claim prekeys or key packages of another user; otherwise the budget that is spent. */
export type ClaimAllowance = "granted" | "refused" | RateLimitedError;

type ClaimDeps = Pick<ConversationDeps, "accounts" | "budget" | "clock" | "connections" | "settings">;

interface Claim {
  /** Kinds of claims, each with budgets of its own. */
  readonly kind: "prekeys" | "key-packages";
  readonly claimerId: string;
  readonly userIds: readonly string[];
}

/**
 * Decide from which users somebody may claim, and charge the daily budgets. Users who are not activated get nothing.
 * Strangers, who share neither a team nor a connection with the other user, get a little: they may be in a conversation
 * together, which clients do not name in a claim. Claims from one's own devices are free.
 *
 * One round trip, and another one only for strangers.
 */
export async function readClaimAllowances(
  deps: ClaimDeps,
  { kind, claimerId, userIds }: Claim,
): Promise<(userId: string) => ClaimAllowance> {
  const others = [...new Set(userIds)].filter((userId) => userId !== claimerId);
  if (others.length === 0) return () => "granted";
  const [{ claimer, isAcquainted }, refusals] = await Promise.all([
    readRelations(deps, claimerId, others),
    spendPairs(deps, { kind, claimerId, userIds: others }),
  ]);
  if (claimer === undefined || !isTrusted(claimer, deps.clock()))
    return (userId) => (userId === claimerId ? "granted" : "refused");
  const strangers = others.filter((userId) => !isAcquainted(userId) && !refusals.has(userId));
  const toStrangers = await spendEach(deps, strangers, strangersBudget(deps, { kind }));
  return (userId) => refusals.get(userId) ?? toStrangers.get(userId) ?? "granted";
}

const isTrusted = (account: Account, now: number) =>
  currentStatus(account, now) === "active" && isActivated(account);

async function readRelations(
  { accounts, connections }: ClaimDeps,
  claimerId: string,
  others: readonly string[],
) {
  const [claimer, people, contacts] = await Promise.all([
    accounts.get(claimerId),
    accounts.getMany(others),
    connections.contactsAmong(claimerId, others),
  ]);
  const teamId = claimer?.teamId;
  const mates = new Set(people.filter((one) => one.teamId === teamId).map(({ userId }) => userId));
  const isMate = (userId: string) => teamId !== undefined && mates.has(userId);
  return { claimer, isAcquainted: (userId: string) => isMate(userId) || contacts.has(userId) };
}

/**
 * Decide from which users a bot may claim, and charge the daily budgets of its payer, because bots cost nothing. To
 * people outside its conversation, a bot is a stranger, and gets nothing if the payer is not activated.
 *
 * @param claim.claimerId the user who pays for the bot
 * @param claim.memberIds members of its conversation
 */
export async function readClaimAllowancesOfBot(
  deps: Omit<ClaimDeps, "connections">,
  { memberIds, ...claim }: Claim & { readonly memberIds: ReadonlySet<string> },
): Promise<(userId: string) => ClaimAllowance> {
  const { userIds } = claim;
  const outside = userIds.filter((userId) => !memberIds.has(userId));
  const [refusals, payer] = await Promise.all([
    spendPairs(deps, claim),
    outside.length === 0 ? undefined : deps.accounts.get(claim.claimerId),
  ]);
  const isRefused = payer === undefined || !isTrusted(payer, deps.clock());
  const toStrangers = isRefused
    ? new Map<string, RateLimitedError>()
    : await spendEach(
        deps,
        outside.filter((userId) => !refusals.has(userId)),
        strangersBudget(deps, claim),
      );
  return (userId) => {
    if (isRefused && !memberIds.has(userId)) return "refused";
    return refusals.get(userId) ?? toStrangers.get(userId) ?? "granted";
  };
}

const strangersBudget = ({ settings }: Pick<ClaimDeps, "settings">, { kind }: Pick<Claim, "kind">) => ({
  budget: `claims#${kind}#strangers`,
  limit: settings.setClaimDailyBudget.ofStrangers,
});

/** @returns the users for whom the daily budget of a pair is spent */
const spendPairs = (
  deps: Pick<ClaimDeps, "budget" | "settings">,
  { kind, claimerId, userIds }: Claim,
): Promise<ReadonlyMap<string, RateLimitedError>> =>
  spendEach(deps, userIds, {
    budget: `claims#${kind}#${claimerId}`,
    limit: deps.settings.setClaimDailyBudget.perPair,
  });

/** @returns the users for whom the budget is spent */
async function spendEach(
  { budget }: Pick<ClaimDeps, "budget">,
  userIds: readonly string[],
  { budget: name, limit }: { budget: string; limit: number | null },
): Promise<ReadonlyMap<string, RateLimitedError>> {
  const userIdOf = new Map(userIds.map((userId) => [`${name}#${userId}`, userId]));
  const refusals = await budget.spendEach([...userIdOf.keys()], limit);
  return new Map([...refusals].map(([bucket, refusal]) => [userIdOf.get(bucket) ?? "", refusal]));
}
