import { confirmPassword } from "#shared/accounts/credentials/confirm-password.ts";
import { isOngoing } from "#shared/accounts/legal-hold-status.ts";
import { endMemberLegalHold } from "#shared/conversations/legal-hold/end-member-legal-hold.ts";
import { readSubject } from "#shared/conversations/legal-hold/subject.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";
import { chargeChange } from "./service-calls.ts";

/**
 * End legal hold of a member, or withdraw the request for it, as an admin.
 *
 * @returns false when there was nothing to end
 * @throws ApiError as the route lists; the order of the checks is part of the interface
 * @throws RateLimitedError
 * @see operation `disable-legal-hold-for-user`
 */
export async function endLegalHold(
  deps: Deps,
  actor: Actor,
  { password, ...membership }: Membership & { readonly password?: string | undefined },
): Promise<boolean> {
  const { accounts, legalHoldClient, legalHoldServices, passwordChecks, teams } = deps;
  const { teamId } = membership;
  const [{ subject }, acting, account] = await Promise.all([
    readSubject(deps, membership),
    teams.getMember({ teamId, userId: actor.userId }),
    accounts.get(actor.userId),
  ]);
  checkMember(acting, { role: "admin" });
  if (!isOngoing(subject?.status)) return false;
  if (account === undefined) throw new ApiError("access-denied");
  await confirmPassword(passwordChecks, account, password);
  await chargeChange(deps, actor);
  const notifyService = async () => {
    const service = await legalHoldServices.get(teamId);
    if (service === undefined) throw new ApiError("legalhold-not-registered");
    await legalHoldClient.remove(service, membership);
  };
  return endMemberLegalHold(deps, membership, { notifyService, by: actor.userId });
}
