import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { orderServiceJob } from "#shared/services/service-job.ts";
import type { Deps } from "../deps.ts";
import { enableService } from "../own-services/change-service.ts";
import { beginDeletion } from "../own-services/delete-service.ts";
import type { routes } from "./routes.ts";
import { toProviderView, toServiceView } from "./schemas.ts";

/** Maximum number of enabled services in one answer. */
const maxFound = 100;

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { outbox, providers, services } = deps;
  return {
    "i-list-services": async ({ query: { provider, name } }) => {
      const found =
        provider === undefined
          ? await services.getMany(await services.search({ start: name ?? "", limit: maxFound }))
          : await services.ofProvider(provider);
      return { body: { services: found.map(toServiceView) } };
    },

    "i-get-service": async ({ params }) => {
      const service = await services.get(params.pid, params.sid);
      if (service === undefined) throw new ApiError("service-not-found");
      return { body: toServiceView(service) };
    },

    "i-put-service-enabled": async ({ params, body }) => {
      await enableService(deps, { providerId: params.pid, serviceId: params.sid }, body.enabled);
      return {};
    },

    "i-delete-service": async ({ params }) => {
      await beginDeletion(deps, { providerId: params.pid, serviceId: params.sid });
      return {};
    },

    "i-get-provider": async ({ params }) => {
      const [provider, found] = await Promise.all([
        providers.get(params.pid),
        services.ofProvider(params.pid),
      ]);
      if (provider === undefined) throw new ApiError("provider-not-found");
      return { body: toProviderView(provider, found) };
    },

    "i-delete-provider": async ({ params }) => {
      await change(deps, async () => {
        const provider = await providers.getActive(params.pid);
        if (provider === undefined) throw new ApiError("provider-not-found");
        return {
          writes: [providers.beginDeletion(provider)],
          messages: [orderServiceJob(outbox, { job: "delete-provider", providerId: params.pid })],
        };
      });
      return {};
    },
  };
}
