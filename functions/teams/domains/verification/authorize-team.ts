import { changeRegistration } from "../change-registration.ts";
import type { Deps } from "../deps.ts";
import { checkDomainAdmin, readCandidate } from "../domain-admin.ts";
import { checkNotLocked } from "../transitions.ts";
import { checkOwnership } from "./check-ownership.ts";

/**
 * Give a domain to the acting user's team, taking it from any other team.
 *
 * @throws ApiError `operation-forbidden-for-domain-registration-state`, `domain-registration-update-payment-required`,
 *   `domain-registration-update-auth-failure`
 * @see operation `domain-verification-authorize-team`
 */
export function authorizeTeam(
  deps: Deps,
  { userId, domain, token }: { userId: string; domain: string; token: string },
): Promise<void> {
  const { domains, teams } = deps;
  return changeRegistration(deps, "authorize-team", domain, async () => {
    const [before, candidate] = await Promise.all([domains.get(domain), readCandidate(deps, userId)]);
    const member = checkDomainAdmin(candidate);
    const owned = checkOwnership(before, token);
    checkNotLocked(owned);
    return {
      before,
      after: { ...owned, authorizedTeam: member.teamId },
      // The deletion of a team removes its domains, so none may be added meanwhile.
      writes: [teams.requirePresent(member.teamId), teams.requirePermissions(member)],
    };
  });
}
