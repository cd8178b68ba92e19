import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { changeConnection, changeService } from "./change-service.ts";
import { createService } from "./create-service.ts";
import { deleteService } from "./delete-service.ts";
import type { routes } from "./routes.ts";
import { toView } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { services } = deps;
  return {
    "post-provider-services": async ({ actor, body }) => {
      const { base_url, public_key, auth_token, ...profile } = body;
      const service = await createService(deps, actor, {
        ...profile,
        baseUrl: base_url,
        publicKey: public_key,
        authToken: auth_token,
      });
      const [generated] = service.authTokens;
      return {
        body: { id: service.serviceId, auth_token: auth_token === undefined ? generated : undefined },
      };
    },

    "get-provider-services": async ({ actor }) => ({
      body: (await services.ofProvider(actor.providerId)).map(toView),
    }),

    "get-provider-services-by-service-id": async ({ actor, params }) => {
      const service = await services.get(actor.providerId, params.sid);
      if (service === undefined) throw new ApiError("service-not-found");
      return { body: toView(service) };
    },

    "put-provider-services-by-service-id": async ({ actor, params, body }) => {
      await changeService(deps, { ...actor, serviceId: params.sid }, body);
      return {};
    },

    "put-provider-services-connection-by-service-id": async ({ actor, params, body }) => {
      await changeConnection(
        deps,
        { ...actor, serviceId: params.sid },
        {
          password: body.password,
          baseUrl: body.base_url,
          publicKeys: body.public_keys,
          authTokens: body.auth_tokens,
          isEnabled: body.enabled,
        },
      );
      return {};
    },

    "delete-provider-services-by-service-id": async ({ actor, params, body }) => {
      await deleteService(deps, { ...actor, serviceId: params.sid }, body.password);
      return {};
    },
  };
}
