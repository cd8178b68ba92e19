import { hasConsented, isConflict, readLegalHoldStatuses } from "#shared/accounts/legal-hold-status.ts";
import { isChannel } from "#shared/conversations/conversation.ts";
import type { ConversationMember } from "#shared/conversations/conversation-member.ts";
import { announceRemovals, removalsPerTransaction } from "#shared/conversations/remove-not-admitted.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { hasPermission } from "#shared/teams/permissions.ts";
import { type Candidates, checkAccessRoles, checkAcquainted } from "../candidates.ts";
import type { Subject } from "../check-action.ts";
import type { Deps } from "../deps.ts";
import { readStatuses, type Statuses, userMemberIds } from "../legal-hold.ts";

/**
 * Check whether a conversation admits users whom a member adds. The order is part of the interface.
 * @throws ApiError `access-denied`, `not-a-team-member`, `not-connected`
 */
export function checkNewcomers(
  { conversation }: Subject,
  candidates: Candidates,
  { newcomers, hasRemoteUsers }: { newcomers: readonly string[]; hasRemoteUsers: boolean },
): void {
  if (!conversation.access.includes("invite")) throw new ApiError("access-denied");
  const strangers = hasRemoteUsers ? [undefined] : [];
  checkAccessRoles(conversation, [...newcomers.map((id) => candidates.accounts.get(id)), ...strangers]);
  if (hasRemoteUsers) throw new ApiError("not-connected");
  checkAcquainted(candidates, newcomers);
}

/**
 * Check whether the team lets the acting user bring others into its conversations.
 * @throws ApiError `invalid-op`
 */
export function checkTeamRights({ conversation, teamMember }: Subject): void {
  const isAllowed = teamMember === undefined || hasPermission(teamMember.permissions, "AddRemoveConvMember");
  if (!isAllowed && !isChannel(conversation)) throw new ApiError("invalid-op");
}

/** How legal hold affects an addition. */
interface LegalHoldOfNewcomers {
  /** Statuses of the newcomers and, if they had to be read, of the members. */
  readonly statuses: Statuses;
  /** Members who must be removed first, because a newcomer is under legal hold. */
  readonly objecting: readonly ConversationMember[];
}

/**
 * Check that legal hold does not keep newcomers and members apart. Members are read only if a newcomer has not
 * consented or is under legal hold.
 *
 * @param ofMembers statuses of the members, where they are read anyway
 * @throws ApiError `missing-legalhold-consent`
 */
export async function checkLegalHoldOfNewcomers(
  deps: Pick<Deps, "accounts" | "features" | "settings">,
  { members }: Pick<Subject, "members">,
  {
    candidates,
    newcomers,
    ofMembers,
  }: {
    readonly candidates: Candidates;
    readonly newcomers: readonly string[];
    readonly ofMembers?: Promise<Statuses>;
  },
): Promise<LegalHoldOfNewcomers> {
  const ofNewcomers = await readLegalHoldStatuses(
    deps,
    newcomers.flatMap((userId) => candidates.accounts.get(userId) ?? []),
  );
  const found = [...ofNewcomers.values()];
  if (found.every((status) => hasConsented(status) && status !== "enabled"))
    return { statuses: ofNewcomers, objecting: [] };
  const statuses = new Map([
    ...ofNewcomers,
    ...(await (ofMembers ?? readStatuses(deps, userMemberIds(members)))),
  ]);
  if (!isConflict(statuses.values())) return { statuses, objecting: [] };

  const isConsenting = ({ userId }: ConversationMember) => hasConsented(statuses.get(userId) ?? "no_consent");
  const users = members.filter(({ service }) => service === undefined);
  const hasConsentingAdmin = users.some((member) => member.role === "admin" && isConsenting(member));
  if (!found.every(hasConsented) || !hasConsentingAdmin) throw new ApiError("missing-legalhold-consent");
  return { statuses, objecting: users.filter((member) => !isConsenting(member)) };
}

/** Remove as many members as one transaction takes. The caller then continues with the new state of the conversation. */
export function removeFirstBatch(
  deps: Pick<Deps, "conversations" | "events" | "outbox" | "settings" | "teams">,
  { subject, actor }: { subject: Subject; actor: Actor },
  objecting: readonly ConversationMember[],
) {
  const { conversation, members, teamMember } = subject;
  const leaving = objecting.slice(0, removalsPerTransaction(members));
  const { next, writes } = deps.conversations.change(conversation, { leaving });
  const condition = teamMember === undefined ? [] : [deps.teams.requirePermissions(teamMember)];
  const rest = {
    ...subject,
    conversation: next,
    members: members.filter((member) => !leaving.includes(member)),
  };
  return {
    writes: [...writes, ...condition],
    messages: announceRemovals(deps, { conversation: next, members, leaving, actor }),
    result: { events: [], rest },
  };
}
