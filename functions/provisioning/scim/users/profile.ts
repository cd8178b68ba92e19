import type { Account } from "#shared/accounts/account.ts";
import { defaultLocale } from "#shared/accounts/account-types.ts";
import { type SamlIdentity, samlClaim } from "#shared/accounts/provisioned-identity.ts";
import { withStatus } from "#shared/accounts/status-change.ts";
import { type IdentityProvider, identityAt } from "#shared/provisioning/identity-provider.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Deps } from "../deps.ts";
import { checkedName, invalid, type ScimUser } from "./scim-user.ts";
import type { TeamUser } from "./team-user.ts";
import { isEmail, isHandle } from "./user-name.ts";

/** Formats of names at an identity provider (SAML core 8.3). */
const nameIdFormats = {
  email: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  unspecified: "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
};

/**
 * The identity by which a user logs in: the external id at the identity provider of the directory's token. An equal
 * identity that the user already has is kept as it is spelled.
 *
 * @param provider absent: users of the directory have no such identity
 */
export function samlIdentityFor(
  externalId: string,
  provider: IdentityProvider | undefined,
  settings: Settings,
  present?: SamlIdentity,
): SamlIdentity | undefined {
  if (provider === undefined) return undefined;
  const format = isEmail(externalId, settings) ? nameIdFormats.email : nameIdFormats.unspecified;
  const identity = identityAt(provider, { text: externalId.trim(), format });
  return present !== undefined && isSameClaim(present, identity) ? present : identity;
}

/** Whether two identities of a team name the same user at the same issuer. */
function isSameClaim(one: SamlIdentity, other: SamlIdentity): boolean {
  const claimOf = ({ issuer, nameId }: SamlIdentity) => samlClaim({ issuer, nameId });
  const [{ key, sortKey }, otherClaim] = [claimOf(one), claimOf(other)];
  return key === otherClaim.key && sortKey === otherClaim.sortKey;
}

/**
 * The address that a directory gives a user.
 *
 * @param isKnown whether the user already has this external id and therefore needs no other address
 * @throws ApiError `scim-invalid-value`
 */
export function addressOf(
  { email, externalId }: Pick<ScimUser, "email" | "externalId">,
  { hasProvider, isKnown = false, settings }: { hasProvider: boolean; isKnown?: boolean; settings: Settings },
): string | undefined {
  if (email !== undefined && !isEmail(email, settings)) throw invalid("emails: is not an email address");
  if (isEmail(externalId, settings)) return email ?? externalId;
  if (hasProvider) return email;
  if (settings.scim.externalIdIsEmail) throw invalid("externalId: must be an email address");
  if (email === undefined && !isKnown) throw invalid("externalId or emails: an email address is needed");
  return email;
}

/** The address that a directory sees: the one that the user is to have, even if it is not confirmed yet. */
export function shownEmail(
  { email, emailUnvalidated, scim }: Pick<Account, "email" | "emailUnvalidated" | "scim">,
  settings: Settings,
): string | undefined {
  const derived = scim !== undefined && isEmail(scim.externalId, settings) ? scim.externalId : undefined;
  return emailUnvalidated ?? email ?? derived;
}

/** The name that a directory gives a user, or the default. @throws ApiError `scim-invalid-value` when that is too long */
export const nameOf = (
  { displayName, externalId }: Pick<ScimUser, "displayName" | "externalId">,
  { hasProvider, address }: { hasProvider: boolean; address: string | undefined },
): string => displayName ?? checkedName(hasProvider ? externalId : (address ?? externalId));

/**
 * The account of a user after a directory has described the user again, except for the address.
 *
 * @param chosen the address that the directory gives the user, if any, and the handle that follows from the user name
 * @throws ApiError `scim-invalid-value`
 */
export function changedProfile(
  { settings }: Pick<Deps, "settings">,
  { account, provider }: TeamUser,
  wanted: ScimUser,
  { address, handle }: { readonly address: string | undefined; readonly handle: string },
): Account & Required<Pick<Account, "scim">> {
  const { externalId, userName, preferredLanguage } = wanted;
  const { userName: _former, ...record } = account.scim ?? { createdAt: 0, updatedAt: 0 };
  return {
    ...withWantedStatus(account, wanted),
    handle,
    name: nameOf(wanted, {
      hasProvider: provider !== undefined,
      address: address ?? shownEmail(account, settings),
    }),
    locale: preferredLanguage ?? defaultLocale(settings),
    samlIdentity: samlIdentityFor(externalId, provider, settings, account.samlIdentity),
    scim: { ...record, externalId, ...(!isHandle(userName) && { userName }) },
  };
}

/** Only what the directory changes counts: members who are suspended with their team stay as they are. */
function withWantedStatus(account: Account, { active }: ScimUser): Account {
  const { status, isSuspendedWithTeam } = account;
  if (status === "active" && !active) return withStatus(account, "suspended");
  const isOwnSuspension = status === "suspended" && isSuspendedWithTeam === undefined;
  return isOwnSuspension && active ? withStatus(account, "active") : account;
}
