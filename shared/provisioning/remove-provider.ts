import type { Write } from "#shared/platform/data/conditions.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import type { ProvisioningDeps } from "./provisioning-deps.ts";
import type { TeamProvisioning } from "./team-provisioning.ts";

export type RemovalDeps = Pick<ProvisioningDeps, "defaultProvider" | "identityProviders" | "provisioning">;

/**
 * Decides how to remove an identity provider with the tokens bound to it; removes the default if it is this one. Other
 * references to it are up to the caller.
 *
 * @param team as it was read
 * @param purgedIssuers issuers whose users are to be deleted
 */
export async function removeProvider(
  { defaultProvider, identityProviders, provisioning }: RemovalDeps,
  team: TeamProvisioning,
  provider: IdentityProvider,
  purgedIssuers: readonly string[] = [],
): Promise<Write[]> {
  const { id } = provider;
  const [defaultId, release] = await Promise.all([
    defaultProvider.get(),
    identityProviders.releaseIssuer(provider),
  ]);
  const next = {
    ...team,
    providers: team.providers.filter((listed) => listed.id !== id),
    tokens: team.tokens.filter(({ idpId }) => idpId !== id),
    purgedIssuers: [...new Set([...(team.purgedIssuers ?? []), ...purgedIssuers])],
  };
  return [
    ...identityProviders.remove(provider),
    release,
    ...provisioning.save(team, next),
    ...(defaultId === id ? [defaultProvider.release(id)] : []),
  ];
}
