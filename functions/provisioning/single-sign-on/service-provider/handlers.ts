import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import type { routes } from "./routes.ts";
import { serviceProviderMetadata } from "./service-provider.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  "sso-metadata": ({ host }) => ({ body: serviceProviderMetadata(deps, host) }),
  "sso-team-metadata": ({ host, params }) => ({
    body: serviceProviderMetadata(deps, host, params.team),
  }),
});
