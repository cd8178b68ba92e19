import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { toProviderView } from "#shared/services/provider-view.ts";
import { serviceTag } from "#shared/services/service-tags.ts";
import type { Deps } from "../deps.ts";
import { toProfile } from "../schemas.ts";
import type { routes } from "./routes.ts";
import { searchDirectory } from "./search-directory.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { providers, services } = deps;
  return {
    "get-services": async ({ query }) => {
      const page = await searchDirectory(deps, query);
      return { body: { has_more: page.hasMore, services: page.services.map(toProfile) } };
    },

    "get-services-tags": async () => ({ body: serviceTag.options }),

    "provider-get-profile": async ({ params }) => {
      const provider = await providers.getActive(params.pid);
      if (provider === undefined) throw new ApiError("provider-not-found");
      return { body: toProviderView(provider) };
    },

    "get-provider-services-by-provider-id": async ({ params }) => ({
      body: (await services.ofProvider(params.pid)).map(toProfile),
    }),

    "get-provider-services-by-provider-id-and-service-id": async ({ params }) => {
      const service = await services.get(params.pid, params.sid);
      if (service === undefined) throw new ApiError("service-not-found");
      return { body: toProfile(service) };
    },
  };
}
