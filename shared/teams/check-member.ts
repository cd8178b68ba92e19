import { ApiError } from "#shared/platform/http/api-error.ts";
import type { ErrorName } from "#shared/registry/errors.ts";
import type { Member } from "./member.ts";
import { hasPermission, isAtLeast, type Permission, type Role } from "./permissions.ts";

/** What a member has to have: a permission, or the rights of a role. */
export type Need = { readonly permission: Permission } | { readonly role: Role };

/** What a user without it is told: whether the user is a member at all may remain unsaid. */
export interface Refusals {
  readonly stranger: ErrorName;
  readonly member: ErrorName;
}

/** How most operations refuse. */
const usualRefusals: Refusals = { stranger: "not-a-team-member", member: "operation-denied" };
/** How invitations, size and search refuse. */
export const insufficientPermissions: Refusals = {
  stranger: "insufficient-permissions",
  member: "insufficient-permissions",
};

/**
 * Check that the acting user is a member of the team, and may do what the operation needs (spec heading Shared rules).
 *
 * @param member what was read: undefined when the user is not a member or there is no such team
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
