import type { Handlers } from "#shared/platform/http/route.ts";
import { startsWith } from "#shared/services/service-order.ts";
import { checkMember, insufficientPermissions } from "#shared/teams/check-member.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";
import { firstPage, type ServicePage } from "../page-of-services.ts";
import { toProfile } from "../schemas.ts";
import { changeWhitelist } from "./change-whitelist.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "post-team-whitelist-by-team-id": async ({ actor, params, body }) => {
      const isChanged = await changeWhitelist(deps, {
        actor,
        teamId: params.tid,
        service: { providerId: body.provider, serviceId: body.id },
        isAdmitted: body.whitelisted,
      });
      return { status: isChanged ? 200 : 204 };
    },

    "get-whitelisted-services-by-team-id": async ({ actor: { userId }, params, query }) => {
      const page = await listWhitelisted(
        deps,
        { teamId: params.tid, userId },
        { prefix: query.prefix, withDisabled: query.filter_disabled === false, size: query.size },
      );
      return { body: { has_more: page.hasMore, services: page.services.map(toProfile) } };
    },
  };
}

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
async function listWhitelisted(
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
