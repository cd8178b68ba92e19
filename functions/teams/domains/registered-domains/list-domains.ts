import type { DomainRegistration } from "#shared/teams/registered-domains/domain-registration.ts";
import type { Deps } from "../deps.ts";
import { checkDomainAdmin, readCandidate } from "../domain-admin.ts";

/**
 * List the domains that a team has claimed, in no order.
 *
 * @throws ApiError `operation-forbidden-for-domain-registration-state`, `domain-registration-update-payment-required`
 * @see operation `get-all-registered-domains`
 */
export async function listDomains(
  deps: Deps,
  { userId, teamId }: { userId: string; teamId: string },
): Promise<DomainRegistration[]> {
  const { domains } = deps;
  const [candidate, claimed] = await Promise.all([
    readCandidate(deps, userId, teamId),
    domains.claimedBy(teamId),
  ]);
  checkDomainAdmin(candidate);
  const registrations = await domains.getMany(claimed);
  return registrations.filter(({ authorizedTeam }) => authorizedTeam === teamId);
}
