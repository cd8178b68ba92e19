import { ApiError } from "#shared/platform/http/api-error.ts";
import { changeRegistration } from "../change-registration.ts";
import type { Deps } from "../deps.ts";
import { checkDomainAdmin, readCandidate } from "../domain-admin.ts";

/**
 * Remove a domain that a team has claimed, with its rules and tokens.
 *
 * @throws ApiError `operation-forbidden-for-domain-registration-state`, `domain-registration-update-payment-required`,
 *   `not-found`
 * @see operation `delete-registered-domain`
 */
export function removeDomain(
  deps: Deps,
  { userId, teamId, domain }: { userId: string; teamId: string; domain: string },
): Promise<void> {
  return changeRegistration(deps, "delete-by-team", domain, async () => {
    const [before, candidate] = await Promise.all([
      deps.domains.get(domain),
      readCandidate(deps, userId, teamId),
    ]);
    const member = checkDomainAdmin(candidate);
    if (before === undefined) throw new ApiError("not-found");
    if (before.authorizedTeam !== teamId)
      throw new ApiError("operation-forbidden-for-domain-registration-state");
    return { before, after: undefined, writes: [deps.teams.requirePermissions(member)] };
  });
}
