import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { DomainRegistration } from "#shared/teams/registered-domains/domain-registration.ts";
import { changeRegistration } from "../change-registration.ts";
import type { Deps } from "../deps.ts";
import { checkDomainAdmin, readCandidate } from "../domain-admin.ts";
import { formsIn, toRegistrationView } from "../registration-view.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "get-all-registered-domains": async ({ actor, params, version }) => {
      const registrations = await listDomains(deps, { userId: actor.userId, teamId: params.tid });
      const forms = formsIn(version);
      return {
        body: {
          registered_domains: registrations.map((registration) => toRegistrationView(registration, forms)),
        },
      };
    },

    "delete-registered-domain": async ({ actor, params }) => {
      await removeDomain(deps, { userId: actor.userId, teamId: params.tid, domain: params.domain });
      return {};
    },
  };
}

/**
 * List the domains that a team has claimed, in no order.
 *
 * @throws ApiError `operation-forbidden-for-domain-registration-state`, `domain-registration-update-payment-required`
 * @see operation `get-all-registered-domains`
 */
async function listDomains(
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

/**
 * Remove a domain that a team has claimed, with its rules and tokens.
 *
 * @throws ApiError `operation-forbidden-for-domain-registration-state`, `domain-registration-update-payment-required`,
 *   `not-found`
 * @see operation `delete-registered-domain`
 */
function removeDomain(
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
