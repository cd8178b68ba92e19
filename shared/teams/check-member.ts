import { ApiError } from "#shared/platform/http/api-error.ts";
import type { ErrorName } from "#shared/registry/errors.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Member } from "./member.ts";
import { hasPermission, isAtLeast, type Permission, type Role } from "./permissions.ts";
import { isFullForLegalHold, isOpen, type Team } from "./team.ts";

/** The required right: a permission, or the rights of a role. */
export type Need = { readonly permission: Permission } | { readonly role: Role };

/** The error without that right; it may leave open whether the user is a member at all. */
export interface Refusals {
  readonly stranger: ErrorName;
  readonly member: ErrorName;
}

/** Refusal of most operations. */
const usualRefusals: Refusals = { stranger: "not-a-team-member", member: "operation-denied" };
/** Refusal of invitations, size and search. */
export const insufficientPermissions: Refusals = {
  stranger: "insufficient-permissions",
  member: "insufficient-permissions",
};

/**
 * Check that the acting user is a member of the team, and has the right that the operation requires.
 *
 * @param member undefined when the user is not a member or the team does not exist
 * @throws ApiError one of the refusals
 */
export function checkMember(
  member: Member | undefined,
  need?: Need,
  refusals: Refusals = usualRefusals,
): Member {
  if (member === undefined) throw new ApiError(refusals.stranger);
  if (need !== undefined && !meets(member, need)) throw new ApiError(refusals.member);
  return member;
}

const meets = ({ permissions }: Member, need: Need) =>
  "role" in need ? isAtLeast(permissions, need.role) : hasPermission(permissions, need.permission);

/**
 * Check whether a team admits one more member. Everything is checked again at the join.
 *
 * @throws ApiError `no-team` when it is suspended or being deleted, `too-many-team-members`,
 *   `too-many-members-for-legalhold`
 */
export function checkAdmission(team: Team | undefined, settings: Settings): asserts team is Team {
  if (team === undefined || !isOpen(team)) throw new ApiError("no-team");
  if (team.memberCount >= settings.maxTeamSize) throw new ApiError("too-many-team-members");
  if (isFullForLegalHold(team, settings)) throw new ApiError("too-many-members-for-legalhold");
}
