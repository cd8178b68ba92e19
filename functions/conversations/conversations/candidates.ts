import { type Account, currentStatus, isActivated } from "#shared/accounts/account.ts";
import { type Conversation, isMls } from "#shared/conversations/conversation.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Deps } from "./deps.ts";

/** Users whom the acting user wants in a conversation. */
export interface Candidates {
  /** Existing accounts by user id. */
  readonly accounts: ReadonlyMap<string, Account>;
  /** Whether a user is connected to the acting user or in the same team. */
  readonly isAcquainted: (userId: string) => boolean;
  /** Conditions that require the connection to a user who is not a team mate. */
  readonly requireContact: (userId: string) => Write[];
}

/** Read, in one round trip, the data that decide whether a user may bring others into a conversation. */
export async function readCandidates(
  { accounts, clock, connections }: Pick<Deps, "accounts" | "clock" | "connections">,
  { userId, candidateIds }: { userId: string; candidateIds: readonly string[] },
): Promise<Candidates> {
  const peerIds = candidateIds.filter((id) => id !== userId);
  const [people, contacts] = await Promise.all([
    accounts.getMany([userId, ...peerIds]),
    connections.contactsAmong(userId, peerIds),
  ]);
  const now = clock();
  const present = new Map(people.filter((one) => isPresent(one, now)).map((one) => [one.userId, one]));
  const self = present.get(userId);
  const teamId = self?.teamId;
  const isMate = (id: string) => teamId !== undefined && present.get(id)?.teamId === teamId;
  return {
    accounts: present,
    // An access token outlives its account by some minutes.
    isAcquainted: (id) => self !== undefined && present.has(id) && (isMate(id) || contacts.has(id)),
    requireContact(id) {
      const pair = isMate(id) ? undefined : contacts.get(id);
      return pair === undefined ? [] : connections.requireUnchanged(pair);
    },
  };
}

/** Read the accounts of some candidates again: legal hold may have begun for them, or they may have been deleted. */
export async function rereadAccounts(
  { accounts, clock }: Pick<Deps, "accounts" | "clock">,
  candidates: Candidates,
  userIds: readonly string[],
): Promise<Candidates> {
  const found = new Map((await accounts.getMany(userIds)).map((account) => [account.userId, account]));
  const now = clock();
  const current = new Map(candidates.accounts);
  for (const userId of userIds) {
    const account = found.get(userId);
    if (account !== undefined && isPresent(account, now)) current.set(userId, account);
    else current.delete(userId);
  }
  const isAcquainted = (userId: string) => current.has(userId) && candidates.isAcquainted(userId);
  return { ...candidates, accounts: current, isAcquainted };
}

/**
 * Check that users exist, and are connected to the acting user or in the same team.
 * @throws ApiError `not-connected`
 */
export function checkAcquainted({ isAcquainted }: Candidates, userIds: readonly string[]): void {
  if (!userIds.every(isAcquainted)) throw new ApiError("not-connected");
}

/**
 * Check that a conversation admits users by its access roles.
 *
 * @param accounts undefined for unknown users and those of other domains, who are in no team
 * @throws ApiError `access-denied`, `not-a-team-member`
 */
export function checkAccessRoles(
  { accessRoles, teamId }: Pick<Conversation, "accessRoles" | "teamId">,
  accounts: readonly (Account | undefined)[],
): void {
  if (accessRoles.length === 0) throw new ApiError("access-denied");
  const isOutside = (account?: Account) => teamId === undefined || account?.teamId !== teamId;
  if (!accessRoles.includes("non_team_member") && accounts.some(isOutside))
    throw new ApiError("not-a-team-member");
  const isAnonymous = (account?: Account) => account !== undefined && !isActivated(account);
  if (!accessRoles.includes("guest") && accounts.some(isAnonymous)) throw new ApiError("access-denied");
}

/** Whether an account belongs to an existing user; suspended ones count. */
const isPresent = (account: Account, now: number) =>
  !["deleted", "pending-invitation"].includes(currentStatus(account, now));

/**
 * Check that a conversation has room for new members. The size of MLS groups is not limited.
 * @throws ApiError `too-many-members`
 */
export function checkSize(
  conversation: Conversation,
  joining: number,
  { maxConvSize }: Pick<Settings, "maxConvSize">,
): void {
  const isLimited = !isMls(conversation);
  if (isLimited && conversation.memberCount + joining > maxConvSize) throw new ApiError("too-many-members");
}
