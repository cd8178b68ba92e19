import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { toProfile } from "../schemas.ts";
import { changeWhitelist } from "./change-whitelist.ts";
import { listWhitelisted } from "./list-whitelisted.ts";
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
