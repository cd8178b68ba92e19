import type { LegalHoldService } from "#shared/conversations/legal-hold/legal-hold-service.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { getService } from "./get-service.ts";
import { registerService } from "./register-service.ts";
import { removeService } from "./remove-service.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "create-legal-hold-settings": async ({ actor, params, body }) => {
      const service = await registerService(deps, actor, {
        teamId: params.tid,
        baseUrl: body.base_url,
        publicKey: body.public_key,
        authToken: body.auth_token,
      });
      return { body: toView(service) };
    },

    "get-legal-hold-settings": async ({ actor: { userId }, params }) => {
      const { hasLegalHold, service } = await getService(deps, { teamId: params.tid, userId });
      return { body: hasLegalHold ? toView(service) : { status: "disabled" } };
    },

    "delete-legal-hold-settings": async ({ actor: { userId }, params, body }) => {
      await removeService(deps, { teamId: params.tid, userId }, body.password);
      return {};
    },
  };
}

const toView = (service: LegalHoldService | undefined) =>
  service === undefined
    ? ({ status: "not_configured" } as const)
    : ({
        status: "configured",
        settings: {
          team_id: service.teamId,
          base_url: service.baseUrl,
          fingerprint: service.fingerprint,
          auth_token: service.authToken,
          public_key: service.publicKey,
        },
      } as const);
