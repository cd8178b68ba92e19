import { ApiError } from "#shared/platform/http/api-error.ts";
import type { DomainRedirect, TeamInvite } from "#shared/teams/registered-domains/domain-registration.ts";
import { changeRegistration } from "../change-registration.ts";
import type { Deps } from "../deps.ts";
import { checkDomainAdmin, readCandidate } from "../domain-admin.ts";
import { chooseTeamRules as choose } from "../transitions.ts";

export interface TeamRulesCommand {
  readonly userId: string;
  readonly domain: string;
  readonly teamInvite: TeamInvite;
  readonly redirect?: DomainRedirect | undefined;
}

/**
 * Let the team that has claimed a domain choose who may invite its people, and where they log in.
 *
 * @throws ApiError `operation-forbidden-for-domain-registration-state`, `domain-registration-update-payment-required`
 * @see operation `update-team-invite`
 */
export function chooseTeamRules(deps: Deps, command: TeamRulesCommand): Promise<void> {
  const { userId, domain, ...choice } = command;
  return changeRegistration(deps, "team", domain, async () => {
    const { redirect } = choice;
    const [before, candidate, provider] = await Promise.all([
      deps.domains.get(domain),
      readCandidate(deps, userId),
      redirect?.kind === "sso" ? deps.identityProviders.get(redirect.identityProviderId) : undefined,
    ]);
    const member = checkDomainAdmin(candidate);
    const after = choose(before, member.teamId, choice);
    if (redirect?.kind === "sso" && provider?.teamId !== member.teamId)
      throw new ApiError("operation-forbidden-for-domain-registration-state");
    return { before, after, writes: [deps.teams.requirePermissions(member)] };
  });
}
