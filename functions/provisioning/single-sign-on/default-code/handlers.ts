import { describeAudited } from "#shared/platform/audit/audited.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";
import type { routes } from "./routes.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  "sso-settings": async () => ({ body: { default_sso_code: (await deps.defaultProvider.get()) ?? null } }),

  "i-put-sso-settings": async ({ body }) => {
    await chooseDefault(deps, body.default_sso_code);
    return {};
  },
});

/**
 * Choose the identity provider that clients offer to everybody, or none.
 *
 * @throws ApiError `not-found`
 * @see operation `i-put-sso-settings`
 */
async function chooseDefault(deps: Deps, idpId: string | null): Promise<void> {
  const { defaultProvider, identityProviders } = deps;
  describeAudited({ target: { provider: idpId ?? "none" } });
  await change(deps, async () => {
    if (idpId === null) return { writes: [defaultProvider.clear()] };
    const provider = await identityProviders.get(idpId);
    if (provider === undefined) throw new ApiError("not-found");
    return { writes: [defaultProvider.set(idpId), identityProviders.addReference(provider)] };
  });
}
