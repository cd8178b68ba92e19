import { parseDomain } from "#shared/platform/domain-name.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import type { routes } from "./routes.ts";

export const createHandlers = ({ customBackends }: Deps): Handlers<typeof routes> => ({
  "get-custom-backend-by-domain": async ({ params }) => {
    const domain = parseDomain(params.domain);
    const backend = domain === undefined ? undefined : await customBackends.get(domain);
    if (backend === undefined) throw new ApiError("custom-backend-not-found");
    return { body: { config_json_url: backend.configUrl, webapp_welcome_url: backend.webappUrl } };
  },

  "i-put-custom-backend": async ({ params, body }) => {
    await customBackends.put(params.domain, {
      configUrl: body.config_json_url,
      webappUrl: body.webapp_welcome_url,
    });
    return {};
  },

  "i-delete-custom-backend": async ({ params }) => {
    await customBackends.delete(params.domain);
    return {};
  },
});
