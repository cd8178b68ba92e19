import type { Account } from "#shared/accounts/account.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import { hasOwnerRights } from "#shared/teams/member.ts";
import type { Deps } from "../deps.ts";
import type { TeamAdmin } from "./team-admin.ts";

interface Subject {
  /** The provider as it was, if it exists already. */
  readonly provider?: IdentityProvider | undefined;
  /** Issuers under which a login finds users. */
  readonly issuers: readonly string[];
}

/**
 * Only owners may change how an identity provider vouches for owners, because an admin who could choose the keys could
 * log in as one. This applies to providers through which an owner logs in, and to those with a directory, which gives
 * every member that it reads an identity there.
 *
 * @throws ApiError `insufficient-permissions`
 */
export async function protectOwners(
  deps: Deps,
  { member, provisioning }: TeamAdmin,
  { provider, issuers }: Subject,
): Promise<void> {
  if (hasOwnerRights(member)) return;
  const hasDirectory =
    provider !== undefined && provisioning.tokens.some(({ idpId }) => idpId === provider.id);
  if (hasDirectory || (await hasOwnerWith(deps, member.teamId, issuers)))
    throw new ApiError("insufficient-permissions", {
      message: "Only owners can change an identity provider through which an owner may log in",
    });
}

/**
 * Only owners may run a purge that would delete an owner; admins may not remove one directly either. The last owner of
 * a team is never deleted.
 *
 * @throws ApiError `insufficient-permissions`
 */
export async function protectOwnersFromPurge(
  deps: Deps,
  { member }: TeamAdmin,
  issuers: readonly string[],
): Promise<void> {
  if (hasOwnerRights(member)) return;
  const owners = await readOwners(deps, member.teamId);
  if (owners.length > 1 && owners.some((owner) => isKnownUnder(owner, issuers)))
    throw new ApiError("insufficient-permissions", {
      message: "Only owners can delete an owner together with an identity provider",
    });
}

const hasOwnerWith = async (deps: Deps, teamId: string, issuers: readonly string[]): Promise<boolean> =>
  (await readOwners(deps, teamId)).some((owner) => isKnownUnder(owner, issuers));

const isKnownUnder = ({ samlIdentity }: Account, issuers: readonly string[]): boolean =>
  samlIdentity !== undefined && issuers.includes(samlIdentity.issuer);

async function readOwners({ accounts, teams }: Deps, teamId: string): Promise<Account[]> {
  const adminIds: string[] = [];
  for await (const userId of teams.admins(teamId)) adminIds.push(userId);
  const members = await teams.getMembers(teamId, adminIds);
  return accounts.getMany(members.filter(hasOwnerRights).map(({ userId }) => userId));
}
