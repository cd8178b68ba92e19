import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { formsIn, toRegistrationView } from "../registration-view.ts";
import { listDomains, removeDomain } from "./registered-domains.ts";
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
