import type { Account } from "#shared/accounts/account.ts";
import type { Identity } from "#shared/accounts/identity.ts";
import { externalIdClaim, samlClaim, samlClaimsInTeam } from "#shared/accounts/provisioned-identity.ts";
import type { Deps } from "./deps.ts";

/** A name of a user at an identity provider, or in the directory of a team. */
export interface ProvisionedName {
  readonly issuer?: string | undefined;
  readonly nameId?: string | undefined;
  readonly externalId?: string | undefined;
  readonly teamId?: string | undefined;
}

/**
 * Find the accounts with an identity at an identity provider or in a directory, in any state. With a team, only
 * accounts of that team are found, by an identity of the team or of the installation.
 *
 * @returns one at most
 * @see operation `i-find-provisioned-users`
 */
export async function findByIdentity({ accounts }: Deps, name: ProvisionedName): Promise<Account[]> {
  const { teamId } = name;
  const claims = await accounts.findClaims(identitiesOf(name));
  const owners = claims.filter((claim) => claim !== undefined);
  const wanted = teamId === undefined ? owners : owners.filter((claim) => claim.teamId === teamId);
  return accounts.getMany(wanted.map(({ userId }) => userId));
}

function identitiesOf({ issuer = "", nameId: text = "", externalId, teamId }: ProvisionedName): Identity[] {
  const atProvider = { issuer, nameId: { text } };
  if (teamId === undefined) return [samlClaim(atProvider)];
  return externalId === undefined
    ? samlClaimsInTeam(teamId, atProvider)
    : [externalIdClaim(teamId, externalId)];
}
