import { onTeamForm, showTeamPage } from "#shared/accounts/team-pages/team-page.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { createProvider } from "../identity-providers/create-provider.ts";
import { deleteProvider } from "../identity-providers/delete-provider.ts";
import { listOwnProviders } from "../identity-providers/read-providers.ts";
import { boundHost } from "../service-provider/service-provider.ts";
import { providersPage } from "./providers-page.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { config, settings } = deps;
  return {
    "get-team-providers-page": (input) =>
      showTeamPage(deps, "providers", input, async (frame, { teamId, userId }) =>
        providersPage(frame, {
          providers: await listOwnProviders(deps, userId),
          metadataUrl: `${config.publicUrl}/sso/metadata/${teamId}`,
          toCode: (id) => `${settings.vendor}-${id}`,
          toLink: (id) => `${config.publicUrl}/account/profile?company=${id}`,
        }),
      ),

    "post-team-provider": (input) =>
      onTeamForm(deps, "providers", input, async ({ userId }) => {
        const text = input.body.metadata.trim();
        const domain = boundHost(input.host, deps);
        await createProvider(deps, { userId, text, apiVersion: "v2", domain, hasImplicitTokens: false });
        return "provider-added";
      }),

    "post-team-provider-removal": (input) =>
      onTeamForm(deps, "providers", input, async ({ userId }) => {
        await deleteProvider(deps, { userId, id: input.body.provider, isPurge: false });
        return "provider-removed";
      }),
  };
}
