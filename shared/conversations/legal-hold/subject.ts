import type { Account } from "#shared/accounts/account.ts";
import type { AccountStore } from "#shared/accounts/account-store.ts";
import { type LegalHoldStatus, legalHoldStatusOf } from "#shared/accounts/legal-hold-status.ts";
import type { ConversationDeps } from "#shared/conversations/conversation-deps.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { TeamFeatures } from "#shared/teams/features/feature.ts";
import type { Member } from "#shared/teams/member.ts";
import type { Membership, TeamStore } from "#shared/teams/team-store.ts";

/** A member whose legal hold changes, as read. */
export interface Subject {
  readonly account: Account;
  readonly member: Member;
  /** The visible status: the stored one may lack an implicit consent. */
  readonly status: LegalHoldStatus;
}

export type SubjectDeps = Pick<ConversationDeps, "accounts" | "features" | "settings" | "teams">;

/**
 * Read a member, to show or change their legal hold, and the features of the team, in one round trip.
 *
 * @returns `subject` undefined when the user is not in the team
 */
export async function readSubject(
  { accounts, features, settings, teams }: SubjectDeps,
  { teamId, userId }: Membership,
): Promise<{ subject: Subject | undefined; team: TeamFeatures }> {
  const [team, member, account] = await Promise.all([
    features.get(teamId),
    teams.getMember({ teamId, userId }),
    accounts.get(userId),
  ]);
  if (member === undefined || account?.teamId !== teamId) return { subject: undefined, team };
  const { legalHoldStatus } = member;
  const status = legalHoldStatusOf({ teamId, legalHoldStatus }, team, settings);
  return { subject: { account, member, status }, team };
}

const successors: Readonly<Record<LegalHoldStatus, readonly LegalHoldStatus[]>> = {
  no_consent: ["disabled"],
  disabled: ["pending"],
  pending: ["pending", "enabled", "disabled"],
  enabled: ["disabled"],
};

/**
 * Change the status of a member, and its copy in the account. Rejected as `StaleReadError` when either has changed
 * since it was read.
 *
 * @throws ApiError `legalhold-illegal-op`
 */
export function changeStatus(
  { accounts, teams }: { readonly accounts: AccountStore; readonly teams: TeamStore },
  { account, member, status }: Subject,
  next: LegalHoldStatus,
): Write[] {
  if (!successors[status].includes(next)) throw new ApiError("legalhold-illegal-op");
  return [
    ...accounts.save(account, { ...account, legalHoldStatus: next }),
    teams.changeLegalHoldStatus(member, next),
  ];
}
