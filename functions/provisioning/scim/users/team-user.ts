import { type Account, currentStatus } from "#shared/accounts/account.ts";
import type { RichInfo } from "#shared/accounts/profiles/rich-info.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import { hasOwnerRights, type Member } from "#shared/teams/member.ts";
import type { Deps } from "../deps.ts";

/** A user of a team as stored. */
export interface TeamUser {
  readonly account: Account;
  /** Absent: the user is invited. */
  readonly member: Member | undefined;
  readonly richInfo: RichInfo | undefined;
  /** Identity provider of the asking directory. */
  readonly provider: IdentityProvider | undefined;
  /** Whether the asking directory may manage owners; see `mayManageOwners`. */
  readonly isByOwner: boolean;
}

const uuidPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Read a user of a directory's team, in one round trip; undefined for anybody else. Reading an invitee whose invitation
 * has expired has the account deleted.
 *
 * @throws ApiError `unauthenticated` when the identity provider of the token is gone
 */
export async function readTeamUser(
  { accounts, clock, expiredAccounts, identityProviders, richInfo, teams }: Deps,
  provisioner: Provisioner,
  id: string,
): Promise<TeamUser | undefined> {
  const { teamId, idpId, createdBy } = provisioner;
  const userId = id.toLowerCase();
  if (!uuidPattern.test(userId)) return undefined;
  const [account, info, member, creator, provider] = await Promise.all([
    accounts.get(userId),
    richInfo.get(userId),
    teams.getMember({ teamId, userId }),
    createdBy === undefined ? undefined : teams.getMember({ teamId, userId: createdBy }),
    idpId === undefined ? undefined : identityProviders.get(idpId),
  ]);
  if (account?.teamId !== teamId) return undefined;
  if (currentStatus(account, clock()) === "deleted") {
    await expiredAccounts.report([account]);
    return undefined;
  }
  return {
    account,
    member,
    richInfo: info,
    provider: idpId === undefined ? undefined : requireProvider(provider),
    isByOwner: createdBy === undefined || (creator !== undefined && hasOwnerRights(creator)),
  };
}

/** The tokens of an identity provider are removed with it. @throws ApiError `unauthenticated` */
export function requireProvider(provider: IdentityProvider | undefined): IdentityProvider {
  if (provider === undefined) throw new ApiError("unauthenticated");
  return provider;
}
