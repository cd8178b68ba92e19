import { emailIdentity } from "#shared/accounts/identity.ts";
import { type SamlIdentity, samlClaim } from "#shared/accounts/provisioned-identity.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { type IdentityProvider, identityAt } from "#shared/provisioning/identity-provider.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { checkedName, invalid, type ScimUser } from "./scim-user.ts";

/** Formats of names at an identity provider (SAML core 8.3). */
const nameIdFormats = {
  email: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  unspecified: "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
};

/** Whether a text is an email address. */
export function isEmail(text: string, settings: Settings): boolean {
  try {
    return emailIdentity(text, settings).kind === "email";
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

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
  const identity = identityAt(provider, { text: externalId, format });
  return present !== undefined && isSameClaim(present, identity) ? present : identity;
}

/** Whether two identities of a team name the same user at the same issuer. */
function isSameClaim(one: SamlIdentity, other: SamlIdentity): boolean {
  const claimOf = ({ issuer, nameId }: SamlIdentity) => samlClaim({ issuer, nameId });
  const [{ key, sortKey }, otherClaim] = [claimOf(one), claimOf(other)];
  return key === otherClaim.key && sortKey === otherClaim.sortKey;
}

/**
 * The address that a directory gives a user (spec table Identity derived from token and attributes).
 *
 * @param isKnown whether the user already has this external id, and so needs no other address
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

/** The name of a user for whom the directory gives none. @throws ApiError `scim-invalid-value` when it is too long */
export const defaultName = (
  externalId: string,
  { hasProvider, address }: { hasProvider: boolean; address: string | undefined },
): string => checkedName(hasProvider ? externalId : (address ?? externalId));
