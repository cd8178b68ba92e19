import { ApiError } from "#shared/platform/http/api-error.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import type { TeamProvisioning } from "#shared/provisioning/team-provisioning.ts";
import type { Deps } from "../deps.ts";
import { readTeamAdmin, type TeamAdmin } from "./team-admin.ts";

/** An identity provider, and the user who asks for it. */
export interface FoundProvider {
  readonly provider: IdentityProvider;
  readonly admin: TeamAdmin;
}

/**
 * Read an identity provider of the acting user's team, for its admins.
 *
 * @throws ApiError `not-found`, also for users who may not know of it; `insufficient-permissions`
 * @see operation `idp-get`
 */
export async function getProvider(
  deps: Deps,
  { userId, id }: { userId: string; id: string },
): Promise<FoundProvider> {
  const [provider, account] = await Promise.all([deps.identityProviders.get(id), deps.accounts.get(userId)]);
  if (provider === undefined) throw new ApiError("not-found");
  const admin = await readTeamAdmin(deps, userId, { account });
  if (admin.member.teamId !== provider.teamId) throw new ApiError("insufficient-permissions");
  return { provider, admin };
}

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
