import { randomUUID } from "node:crypto";
import type { Account } from "#shared/accounts/account.ts";
import { isConflict, readLegalHoldStatuses } from "#shared/accounts/legal-hold-status.ts";
import { announce } from "#shared/conversations/announce.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { toConversationInEvent } from "#shared/conversations/conversation-view.ts";
import { conversationCreate } from "#shared/conversations/events/lifecycle.ts";
import { newConversation } from "#shared/conversations/new-conversation.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { TeamFeatures } from "#shared/teams/features/feature.ts";
import type { Member } from "#shared/teams/member.ts";
import { hasPermission } from "#shared/teams/permissions.ts";
import { TeamNotFoundError } from "#shared/teams/team-errors.ts";
import { type Candidates, readCandidates } from "../candidates.ts";
import type { Deps } from "../deps.ts";
import { orderSettlement, type Statuses } from "../legal-hold.ts";
import { checkNumberOfUsers, checkOwnGroup, checkTeamGroup } from "./check-new-group.ts";
import { type Creation, planCreation } from "./creation.ts";
import type { NewGroup } from "./new-group.ts";

/**
 * Create a group with its members, and tell them. Takes at most three round trips, however many members there are.
 *
 * @throws ApiError as the route lists; the order of the checks is part of the interface
 * @see operations `create-group-conversation`
 */
export async function createGroup(deps: Deps, group: NewGroup): Promise<PopulatedConversation> {
  const { settings, teams } = deps;
  const { teamId } = group;
  checkNumberOfUsers(group, settings);
  return change(deps, async () => {
    const populated = buildGroup(deps, group);
    const creation = planCreation(deps, populated);
    const [people] = await Promise.all([readPeople(deps, group), creation.prepare()]);
    try {
      await checkAndStore(deps, { group, people, creation });
    } catch (error) {
      await creation.abandon();
      throw error;
    }

    const { conversation, members } = populated;
    const { messages } = announce(deps, conversationCreate, {
      conversation,
      actor: group.actor,
      recipients: members,
      data: toConversationInEvent(populated, settings),
    });
    const conditions = teamId === undefined ? [] : [teams.requirePresent(teamId)];
    return {
      writes: [...creation.writes, ...conditions],
      messages: [...messages, ...orderSettlement(deps, conversation.conversationId, people.statuses)],
      result: populated,
    };
  }).catch(answer(TeamNotFoundError, "not-a-team-member"));
}

/** Each attempt uses a new id, because members stored by an earlier attempt may be about to be removed. */
function buildGroup(deps: Deps, group: NewGroup): PopulatedConversation {
  const { actor, addPermission, groupType, hasCells, protocol, role, skipsCreator, userIds } = group;
  const creator = skipsCreator ? undefined : actor.userId;
  return newConversation(
    {
      conversationId: randomUUID(),
      type: "regular",
      groupType,
      protocol,
      creator,
      access: group.access,
      accessRoles: group.accessRoles,
      name: group.name,
      teamId: group.teamId,
      messageTimer: group.messageTimer,
      receiptMode: group.receiptMode,
      addPermission: groupType === "channel" ? (addPermission ?? "everyone") : undefined,
      cellsState: hasCells ? "pending" : "disabled",
      members: [
        ...(creator === undefined ? [] : [{ userId: creator, role: "admin" as const }]),
        ...userIds.map((userId) => ({ userId, role })),
      ],
    },
    deps,
  );
}

/** What decides whether the group may be created, and with whom. */
interface People {
  readonly candidates: Candidates;
  readonly creator: Account | undefined;
  /** Legal hold statuses of the creator and the users. */
  readonly statuses: Statuses;
  /** The creator as a member of the team that is to own the group. */
  readonly member: Member | undefined;
  /** Features of that team, for a channel. */
  readonly features: TeamFeatures | undefined;
}

async function readPeople(deps: Deps, { actor, groupType, teamId, userIds }: NewGroup): Promise<People> {
  const { features, teams } = deps;
  const { userId } = actor;
  const ofTeam = <Read>(read: (id: string) => Promise<Read>) =>
    teamId === undefined ? undefined : read(teamId);
  const [candidates, member, teamFeatures] = await Promise.all([
    readCandidates(deps, { userId, candidateIds: userIds }),
    ofTeam((id) => teams.getMember({ teamId: id, userId })),
    ofTeam((id) => (groupType === "channel" ? features.get(id) : Promise.resolve(undefined))),
  ]);
  const statuses = await readLegalHoldStatuses(deps, [...candidates.accounts.values()]);
  return { candidates, creator: candidates.accounts.get(userId), statuses, member, features: teamFeatures };
}

/**
 * Check all rules, and store the members that do not fit into the transaction. Where one more read may still refuse the
 * group, both happen concurrently.
 */
async function checkAndStore(
  deps: Deps,
  { group, people, creation }: { group: NewGroup; people: People; creation: Creation },
): Promise<void> {
  const { settings } = deps;
  const { protocol, teamId, userIds } = group;
  const isOwn = teamId === undefined;
  if (isOwn) checkOwnGroup(group, people.creator);
  else checkTeamGroup(group, people, settings);

  const isWelcome = !isOwn || userIds.every(people.candidates.isAcquainted);
  const isDivided = isConflict(people.statuses.values());
  const [isRestricted] = await Promise.all([
    isOwn && isPartner(deps, people.creator),
    isWelcome && !isDivided ? creation.store() : undefined,
  ]);
  if (isRestricted) throw new ApiError("operation-denied");
  if (!isWelcome) throw new ApiError("not-connected");
  if (isDivided) throw new ApiError("missing-legalhold-consent");
  if (protocol === "mls" && !settings.setEnableMLS) throw new ApiError("mls-not-enabled");
}

/** Whether the user's team does not let the user bring others into conversations. */
async function isPartner({ teams }: Deps, account: Account | undefined): Promise<boolean> {
  if (account?.teamId === undefined) return false;
  const member = await teams.getMember({ teamId: account.teamId, userId: account.userId });
  return member === undefined || !hasPermission(member.permissions, "AddRemoveConvMember");
}
