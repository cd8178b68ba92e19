import { startsWith } from "#shared/services/service-order.ts";
import { checkMember, insufficientPermissions } from "#shared/teams/check-member.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";
import { firstPage, type ServicePage } from "../page-of-services.ts";

interface Filter {
  readonly prefix?: string;
  readonly withDisabled: boolean;
  readonly size: number;
}

/**
 * List the services that a team admits, for any of its members. The list is read as a whole, because it has no names:
 * providers can rename their services.
 *
 * @throws ApiError `insufficient-permissions` for strangers
 * @see operation `get-whitelisted-services-by-team-id`
 */
export async function listWhitelisted(
  { services, teams, whitelist }: Deps,
  membership: Membership,
  { prefix = "", withDisabled, size }: Filter,
): Promise<ServicePage> {
  checkMember(await teams.getMember(membership), undefined, insufficientPermissions);
  const listed = await services.getMany(await whitelist.ofTeam(membership.teamId));
  const found = listed.filter(
    (service) => (withDisabled || service.isEnabled) && startsWith(service, prefix),
  );
  return firstPage(found, size);
}
