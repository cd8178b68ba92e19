import { randomUUID } from "node:crypto";
import { type Account, isActivated } from "#shared/accounts/account.ts";
import { isConflict, readLegalHoldStatuses } from "#shared/accounts/legal-hold-status.ts";
import {
  type Access,
  type AccessRole,
  type AddPermission,
  type GroupConversationType,
  messageTimerFields,
  type Protocol,
} from "#shared/conversations/conversation.ts";
import type { ConversationRole } from "#shared/conversations/conversation-roles.ts";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { newConversation } from "#shared/conversations/new-conversation.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { Int64 } from "#shared/platform/int64.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { effectiveFeature } from "#shared/teams/features/effective-feature.ts";
import type { TeamFeatures } from "#shared/teams/features/feature.ts";
import { isTeamAdmin, type Member } from "#shared/teams/member.ts";
import { hasPermission, isAtLeast } from "#shared/teams/permissions.ts";
import { type Candidates, checkAccessRoles, checkAcquainted, readCandidates } from "../candidates.ts";
import type { Deps } from "../deps.ts";
import type { Statuses } from "../legal-hold.ts";

/** A group that a user wants to create. */
export interface NewGroup {
  readonly actor: Actor;
  /** The other users, each once. */
  readonly userIds: readonly string[];
  readonly role: ConversationRole;
  readonly groupType: GroupConversationType;
  readonly protocol: Exclude<Protocol, "mixed">;
  readonly access: Access[];
  readonly accessRoles: AccessRole[];
  readonly name?: string;
  readonly teamId?: string;
  readonly messageTimer?: Int64;
  readonly receiptMode?: number;
  readonly addPermission?: AddPermission;
  readonly hasCells: boolean;
  /** Whether the creator stays outside. */
  readonly skipsCreator: boolean;
}

/**
 * Create the group with its members, to be stored. Each attempt uses a new id, because members stored by an earlier
 * attempt may be about to be removed.
 */
export function buildGroup(deps: Pick<Deps, "clock" | "settings">, group: NewGroup): PopulatedConversation {
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
      ...messageTimerFields(group.messageTimer),
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

/** Rules for new groups (operation `create-group-conversation`). Their order is part of the interface. */

/**
 * Check the number of users in a new group, before anything is read.
 * @throws ApiError `client-error`, `non-empty-member-list`
 */
export function checkNumberOfUsers({ userIds, protocol }: NewGroup, { maxConvSize }: Settings): void {
  if (protocol === "mls" && userIds.length > 0) throw new ApiError("non-empty-member-list");
  if (userIds.length >= maxConvSize) throw new ApiError("client-error");
}

/** The data that decide whether the group may be created, and with whom. */
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

/** Read all of it in two round trips at most. */
export async function readPeople(
  deps: Deps,
  { actor, groupType, teamId, userIds }: NewGroup,
): Promise<People> {
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
 * Check that a user may create such a group, for a team or outside teams.
 *
 * @throws ApiError `operation-denied` outside teams; in a team `not-a-team-member`, `operation-denied`,
 *   `channels-not-enabled`, `not-mls-conversation`, `access-denied`, `not-connected`
 */
export const checkRights = (group: NewGroup, people: People, settings: Settings): void =>
  group.teamId === undefined ? checkOwnGroup(group, people) : checkTeamGroup(group, people, settings);

function checkOwnGroup({ groupType, skipsCreator }: NewGroup, { creator }: People): void {
  const isPossible = groupType !== "channel" && !skipsCreator;
  if (!isPossible || creator === undefined || !isActivated(creator)) throw new ApiError("operation-denied");
}

function checkTeamGroup(group: NewGroup, { candidates, features, member }: People, settings: Settings): void {
  const { accessRoles, groupType, protocol, skipsCreator, teamId, userIds } = group;
  const creator = checkMember(member);
  if (groupType === "channel") {
    checkChannel(group, { creator, features }, settings);
  } else {
    checkMember(creator, { permission: "CreateConversation" });
    if (userIds.length > 1 || protocol === "mls") checkMember(creator, { permission: "AddRemoveConvMember" });
  }
  if (skipsCreator && !(groupType === "channel" && isTeamAdmin(creator)))
    throw new ApiError("operation-denied");

  const accountOf = (userId: string) => candidates.accounts.get(userId);
  checkAccessRoles({ accessRoles, teamId }, userIds.map(accountOf));
  checkAcquainted(
    candidates,
    userIds.filter((userId) => accountOf(userId)?.teamId !== teamId),
  );
}

function checkChannel(
  { protocol }: NewGroup,
  { creator, features }: { creator: Member; features: TeamFeatures | undefined },
  settings: Settings,
): void {
  const channels = features && effectiveFeature("channels", features, settings);
  if (channels?.status !== "enabled") throw new ApiError("channels-not-enabled");
  if (protocol !== "mls") throw new ApiError("not-mls-conversation");
  const isAllowed = {
    everyone: true,
    "team-members": isAtLeast(creator.permissions, "member"),
    admins: isTeamAdmin(creator),
  };
  if (!isAllowed[channels.config.allowed_to_create_channels]) throw new ApiError("operation-denied");
}

/**
 * Check that the creator's own team lets its members bring others into conversations, for a group outside teams. Takes a
 * round trip.
 *
 * @throws ApiError `operation-denied`
 */
export async function checkOwnTeam(
  { teams }: Pick<Deps, "teams">,
  { teamId: ownedBy }: NewGroup,
  { creator }: People,
): Promise<void> {
  if (ownedBy !== undefined || creator?.teamId === undefined) return;
  const member = await teams.getMember({ teamId: creator.teamId, userId: creator.userId });
  const isAllowed = member !== undefined && hasPermission(member.permissions, "AddRemoveConvMember");
  if (!isAllowed) throw new ApiError("operation-denied");
}

/**
 * Check that the users may be together in the group.
 * @throws ApiError `not-connected`, `missing-legalhold-consent`, `mls-not-enabled`
 */
export function checkUsers(
  { protocol, teamId, userIds }: NewGroup,
  { candidates, statuses }: People,
  { setEnableMLS }: Settings,
): void {
  if (teamId === undefined) checkAcquainted(candidates, userIds);
  if (isConflict(statuses.values())) throw new ApiError("missing-legalhold-consent");
  if (protocol === "mls" && !setEnableMLS) throw new ApiError("mls-not-enabled");
}
