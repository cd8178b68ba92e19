import { type Account, isActivated } from "#shared/accounts/account.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { effectiveFeature } from "#shared/teams/features/effective-feature.ts";
import type { TeamFeatures } from "#shared/teams/features/feature.ts";
import { isTeamAdmin, type Member } from "#shared/teams/member.ts";
import { isAtLeast } from "#shared/teams/permissions.ts";
import { type Candidates, checkAcquainted } from "../candidates.ts";
import { checkAccessRoles } from "../check-access-roles.ts";
import type { NewGroup } from "./new-group.ts";

/** Rules for new groups (spec heading Conversations: creation). Their order is part of the interface. */

/**
 * Check the number of users in a new group, before anything is read.
 * @throws ApiError `client-error`, `non-empty-member-list`
 */
export function checkNumberOfUsers({ userIds, protocol }: NewGroup, { maxConvSize }: Settings): void {
  if (protocol === "mls" && userIds.length > 0) throw new ApiError("non-empty-member-list");
  if (userIds.length >= maxConvSize) throw new ApiError("client-error");
}

/**
 * Check that a user may create a group outside teams, as far as that does not depend on the user's team.
 * @throws ApiError `operation-denied`
 */
export function checkOwnGroup({ groupType, skipsCreator }: NewGroup, creator: Account | undefined): void {
  const isPossible = groupType !== "channel" && !skipsCreator;
  if (!isPossible || creator === undefined || !isActivated(creator)) throw new ApiError("operation-denied");
}

/**
 * Check that a user may create a group that belongs to a team.
 *
 * @param member the user as a member of the team
 * @throws ApiError `not-a-team-member`, `operation-denied`, `channels-not-enabled`, `not-mls-conversation`,
 *   `access-denied`, `not-connected`
 */
export function checkTeamGroup(
  group: NewGroup,
  { candidates, features, member }: { candidates: Candidates; features?: TeamFeatures; member?: Member },
  settings: Settings,
): void {
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
  { creator, features }: { creator: Member; features?: TeamFeatures },
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
