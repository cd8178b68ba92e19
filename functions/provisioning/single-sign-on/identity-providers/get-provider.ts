import { ApiError } from "#shared/platform/http/api-error.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
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
