import type { KeyObject } from "node:crypto";
import type { Leaf, LeafChange, Leaves } from "#shared/devices/mls/leaves.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Change } from "#shared/platform/messaging/change.ts";
import { readCandidates } from "../candidates.ts";
import { checkAction } from "../check-action.ts";
import type { Deps } from "../deps.ts";
import { checkLegalHold, readStatuses, type Statuses, userMemberIds } from "../legal-hold.ts";
import { checkLegalHoldOfNewcomers, checkNewcomers, checkTeamRights } from "../members/check-newcomers.ts";
import type { CommitSubject } from "./commit-subject.ts";

/** Users who enter and leave a conversation by a commit. */
export interface MemberChange {
  readonly joining: readonly string[];
  readonly leaving: readonly string[];
}

/** The data on which the change of members depends. */
interface MemberCheck {
  /** Conditions of the transaction. */
  readonly conditions: readonly Write[];
  /** Legal hold statuses of those who enter. */
  readonly statuses: Statuses;
}

const noCheck: MemberCheck = { conditions: [], statuses: new Map() };

/**
 * Check whether the committing user may bring in and remove members, by the same rules as without MLS, except for the
 * size.
 *
 * @throws ApiError `action-denied`, `invalid-op`, `no-conversation`, `access-denied`, `not-a-team-member`,
 * `not-connected`, `missing-legalhold-consent`
 */
export async function checkMembers(
  deps: Deps,
  { conversation, members, device: { userId }, isNew }: CommitSubject,
  { joining, leaving }: MemberChange,
): Promise<MemberCheck> {
  if (joining.length + leaving.length === 0) return noCheck;
  const { teamId } = conversation;
  // Nearly always needed, and read now because the committer waits for each round trip.
  const ofMembers = isNew || joining.length === 0 ? undefined : readStatuses(deps, userMemberIds(members));
  ofMembers?.catch(() => undefined);
  const [candidates, teamMember] = await Promise.all([
    readCandidates(deps, { userId, candidateIds: joining }),
    teamId === undefined ? undefined : deps.teams.getMember({ teamId, userId }),
  ]);
  if (isNew) {
    const peers = joining.filter((id) => id !== userId);
    if (!peers.every(candidates.isAcquainted)) throw new ApiError("no-conversation");
    return {
      // A user who blocks the other one meanwhile does not become a member.
      conditions: peers.flatMap(candidates.requireContact),
      statuses: await checkLegalHold(deps, candidates.accounts.values()),
    };
  }

  const self = members.find((member) => member.userId === userId);
  const subject = { conversation, members, self, teamMember };
  const conditions = teamMember === undefined ? [] : [deps.teams.requirePermissions(teamMember)];
  if (leaving.length > 0) checkAction(subject, "remove_conversation_member", { isCommit: true });
  if (joining.length === 0) return { ...noCheck, conditions };
  checkAction(subject, "add_conversation_member", { isCommit: true });
  checkNewcomers(subject, candidates, { newcomers: joining, hasRemoteUsers: false });
  const legalHold = await checkLegalHoldOfNewcomers(deps, subject, {
    candidates,
    newcomers: joining,
    ofMembers,
  });
  // Members without consent cannot be removed first, because that would take another commit.
  if (legalHold.objecting.length > 0) throw new ApiError("missing-legalhold-consent");
  checkTeamRights(subject);
  return { conditions, statuses: legalHold.statuses };
}

/** The changes of an accepted commit. */
export interface CommitPlan extends LeafChange, MemberCheck {
  /** The devices before the commit; before the first one, only that of the creator. */
  readonly leaves: Leaves;
  readonly added: readonly Leaf[];
  /** The committer's leaf in the new epoch. */
  readonly leafIndex: number;
  /** The committer's key, unless it is unknown because the device has registered none. */
  readonly key: KeyObject | undefined;
  /** Users who become members of the conversation. */
  readonly joining: readonly string[];
  /** Members who leave it. */
  readonly leaving: readonly string[];
  /** Writes that make room for a subconversation that the commit begins. */
  readonly room?: Partial<Pick<Change, "writes" | "messages">>;
}
