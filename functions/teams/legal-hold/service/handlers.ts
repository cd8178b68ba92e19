import type { LegalHoldService } from "#shared/conversations/legal-hold/legal-hold-service.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { isAtLeast } from "#shared/teams/permissions.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";
import { readSettings } from "./read-settings.ts";
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

/**
 * Get the legal hold service of a team; also says whether the team has legal hold at all. The token, which clients
 * expect, is empty for those who could not have registered it.
 *
 * @throws ApiError `not-a-team-member`
 * @see operation `get-legal-hold-settings`
 */
async function getService(
  deps: Deps,
  membership: Membership,
): Promise<{ hasLegalHold: boolean; service: LegalHoldService | undefined }> {
  const { hasLegalHold, member, service } = await readSettings(deps, membership);
  const { permissions } = checkMember(member);
  const isForAdmin = isAtLeast(permissions, "admin");
  return { hasLegalHold, service: service && { ...service, authToken: isForAdmin ? service.authToken : "" } };
}
