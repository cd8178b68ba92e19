import { confirmPassword } from "#shared/accounts/credentials/reauthenticate.ts";
import { deleteAccount } from "#shared/accounts/delete-account.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { ErrorName } from "#shared/registry/errors.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { hasOwnerRights, type Member } from "#shared/teams/member.ts";
import { LastOwnerError, TeamNotFoundError } from "#shared/teams/team-errors.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";

/** The removal of a member. */
export interface Removal extends Membership {
  /** The proof that the acting user has sent; undefined: none. */
  readonly proof: { readonly password?: string } | undefined;
  /** The error for a request without a proof. */
  readonly noProof: ErrorName;
}

/**
 * Remove a member from a team, which deletes the member's account. The order of the checks is part of the interface;
 * they are repeated if the acting user's permissions change before the account is deleted.
 *
 * @throws ApiError `not-a-team-member`, `operation-denied`, `team-member-not-found`, `access-denied`,
 *   `login-budget-exhausted`, `no-team`, and `noProof`
 * @throws RateLimitedError
 * @see operations `delete-team-member`, `delete-team-member-v0`
 */
export async function removeMember(
  deps: Deps,
  actor: Actor,
  { teamId, userId, proof, noProof }: Removal,
): Promise<void> {
  const { accounts, passwordChecks, teams } = deps;
  const check = async () => {
    const [acting, member] = await Promise.all([
      teams.getMember({ teamId, userId: actor.userId }),
      teams.getMember({ teamId, userId }),
    ]);
    return checkMayRemove(acting, member);
  };
  const [checked, account] = await Promise.all([check(), accounts.get(actor.userId)]);
  if (proof === undefined) throw new ApiError(noProof);
  if (account === undefined) throw new ApiError("not-a-team-member");
  await confirmPassword(passwordChecks, account, proof.password);

  const requireSamePermissions = async (attempt: number) => [
    teams.requirePermissions(attempt === 1 ? checked : await check()),
  ];
  await deleteAccount(deps, userId, {
    origin: actor,
    // The removal depends on the permissions of the removed member anyway.
    conditions: userId === actor.userId ? undefined : requireSamePermissions,
  })
    .catch(answer(LastOwnerError, "access-denied"))
    .catch(answer(TeamNotFoundError, "no-team"));
}

/** @returns the acting member */
function checkMayRemove(acting: Member | undefined, member: Member | undefined): Member {
  const remover = checkMember(acting, { permission: "RemoveTeamMember" });
  if (member === undefined) throw new ApiError("team-member-not-found");
  const isOtherOwner = hasOwnerRights(remover) && remover.userId !== member.userId;
  if (hasOwnerRights(member) && !isOtherOwner) throw new ApiError("access-denied");
  return remover;
}
