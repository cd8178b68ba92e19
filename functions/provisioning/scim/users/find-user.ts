import type { Claim } from "#shared/accounts/account.ts";
import { isUsableHandle } from "#shared/accounts/handle.ts";
import { emailIdentity, handleIdentity, type Identity } from "#shared/accounts/identity.ts";
import { externalIdClaim, samlClaimsInTeam } from "#shared/accounts/provisioned-identity.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import type { Filter } from "../parse-filter.ts";
import { readAndAdopt } from "./adopt-user.ts";
import { isEmail } from "./profile.ts";
import { renderUser } from "./render-user.ts";
import type { UserView } from "./schemas.ts";
import { requireProvider } from "./team-user.ts";

/**
 * Find a user of a directory's team by handle or external id; a member whom no directory manages yet is adopted.
 *
 * @throws what `readAndAdopt` throws
 * @see operation `scim-find-users`
 */
export async function findUser(
  deps: Deps,
  provisioner: Provisioner,
  { attribute, value }: Filter<"userName" | "externalId">,
): Promise<UserView | undefined> {
  const isByName = attribute === "userName";
  const found = await (isByName ? findByHandle(deps, value) : findByExternalId(deps, provisioner, value));
  if (found?.teamId !== provisioner.teamId) return undefined;
  const user = await readAndAdopt(deps, provisioner, found.userId, isByName ? undefined : value);
  return user && renderUser(deps, user);
}

/** Ignores case, as the creation of users does: a directory that did not find its user would create it again and again. */
async function findByHandle({ accounts, settings }: Deps, value: string): Promise<Claim | undefined> {
  const handle = value.toLowerCase();
  return isUsableHandle(handle, settings) ? accounts.findClaim(handleIdentity(handle)) : undefined;
}

/** Looks up the text as external id, then as address, then as name at the identity provider. */
async function findByExternalId(
  { accounts, identityProviders, settings }: Deps,
  { teamId, idpId }: Provisioner,
  value: string,
): Promise<Claim | undefined> {
  const isOfTeam = (claim: Claim | undefined) => claim?.teamId === teamId;
  const own: Identity[] = [
    externalIdClaim(teamId, value),
    ...(isEmail(value, settings) ? [emailIdentity(value, settings)] : []),
  ];
  const [claims, provider] = await Promise.all([
    accounts.findClaims(own),
    idpId === undefined ? undefined : identityProviders.get(idpId).then(requireProvider),
  ]);
  const found = claims.find(isOfTeam);
  if (found !== undefined || provider === undefined) return found;
  const issuers = [provider.issuer, ...provider.oldIssuers];
  const names = issuers.flatMap((issuer) =>
    samlClaimsInTeam(teamId, { issuer, nameId: { text: value.trim() } }),
  );
  return (await accounts.findClaims(names)).find(isOfTeam);
}
