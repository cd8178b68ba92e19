import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import type { TeamProvisioning } from "#shared/provisioning/team-provisioning.ts";
import type { Deps } from "../deps.ts";
import { readTeamAdmin } from "./team-admin.ts";

/**
 * List the identity providers of the acting user's team, oldest first.
 *
 * @throws ApiError `not-a-team-member`, `insufficient-permissions`
 * @see operation `idp-get-all`
 */
export async function listOwnProviders(deps: Deps, userId: string): Promise<IdentityProvider[]> {
  const { provisioning } = await readTeamAdmin(deps, userId, { teamless: "not-a-team-member" });
  return readProviders(deps, provisioning);
}

/** List the identity providers of any team, oldest first. */
export const listProvidersOf = async (deps: Deps, teamId: string): Promise<IdentityProvider[]> =>
  readProviders(deps, await deps.provisioning.get(teamId));

/** Leaves out providers removed meanwhile. */
async function readProviders(
  { identityProviders }: Deps,
  { providers }: TeamProvisioning,
): Promise<IdentityProvider[]> {
  const found = await identityProviders.getMany(providers.map(({ id }) => id));
  return providers.flatMap(({ id }) => found.filter((provider) => provider.id === id));
}
