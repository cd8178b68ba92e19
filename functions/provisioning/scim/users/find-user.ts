import type { Claim } from "#shared/accounts/account.ts";
import { emailIdentity, type Identity } from "#shared/accounts/identity.ts";
import { externalIdClaim, isSameUserName, samlClaimsInTeam } from "#shared/accounts/provisioned-identity.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import type { Filter } from "../parse-filter.ts";
import { readAndAdopt } from "./adopt-user.ts";
import { renderUser } from "./render-user.ts";
import type { UserView } from "./routes.ts";
import { requireProvider } from "./team-user.ts";
import { isEmail, isHandle, parseUserName, userNameIdentity, userNameOf } from "./user-name.ts";

/**
 * Find a user of a directory's team by user name or external id; a member whom no directory manages yet is adopted.
 *
 * @throws what `readAndAdopt` throws
 * @see operation `scim-find-users`
 */
export async function findUser(
  deps: Deps,
  provisioner: Provisioner,
  { attribute, value }: Filter<"userName" | "externalId">,
): Promise<UserView | undefined> {
  if (attribute === "userName") return findByUserName(deps, provisioner, value);
  const found = await findByExternalId(deps, provisioner, value);
  if (found?.teamId !== provisioner.teamId) return undefined;
  const user = await readAndAdopt(deps, provisioner, found.userId, { externalId: value });
  return user && renderUser(deps, user);
}

/**
 * Ignores case, as the creation of users does: a directory that did not find its user would create it again and again.
 * An address that is nobody's user name finds the member with that address, if no directory manages the member yet, and
 * becomes the user name: directories that use addresses look for nothing else before they create a user.
 */
async function findByUserName(
  deps: Deps,
  provisioner: Provisioner,
  value: string,
): Promise<UserView | undefined> {
  const { accounts, settings } = deps;
  const { teamId } = provisioner;
  const userName = parseUserName(value, settings);
  if (userName === undefined) return undefined;
  const identities = [
    userNameIdentity(teamId, userName),
    ...(isHandle(userName) ? [] : [emailIdentity(userName, settings)]),
  ];
  const claims = await accounts.findClaims(identities);
  const found = claims.find((claim) => claim?.teamId === teamId);
  if (found === undefined) return undefined;
  const known = isHandle(userName) ? {} : { userName };
  const user = await readAndAdopt(deps, provisioner, found.userId, known);
  return user && isSameUserName(userNameOf(user.account), userName) ? renderUser(deps, user) : undefined;
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
