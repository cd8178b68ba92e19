import { domainOfEmail } from "#shared/platform/email-address.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { checkAddressChange } from "#shared/teams/registered-domains/domain-rules.ts";
import { type Account, isProvable } from "../account.ts";
import { type ContactIdentity, emailIdentity, phoneIdentity } from "../identity.ts";
import type { IdentityRecord } from "../identity-lookup.ts";

/** Rules on who may have an address or number. Callers run these checks in the order of the interface. */

/** Parses the address and the number, as far as they are given. @throws ApiError `invalid-email`, `invalid-phone` */
export function contactIdentities(
  { email, phone }: { email?: string; phone?: string },
  settings: Settings,
): ContactIdentity[] {
  return [
    ...(email === undefined ? [] : [emailIdentity(email, settings)]),
    ...(phone === undefined ? [] : [phoneIdentity(phone)]),
  ];
}

/**
 * Refuse addresses and numbers that the operator's lists do not allow. An absent list allows everything, an empty one
 * nothing.
 * @throws ApiError `allowlist-rejected`
 */
export function checkAllowList(
  { email, phone }: { email?: string; phone?: string },
  settings: Settings,
): void {
  const { setAllowlistEmailDomains: domains, setAllowlistPhonePrefixes: prefixes } = settings;
  const isAllowed =
    (email === undefined || domains === undefined || domains.includes(domainOfEmail(email) ?? "")) &&
    (phone === undefined || prefixes === undefined || prefixes.some((prefix) => phone.startsWith(prefix)));
  if (!isAllowed) throw new ApiError("allowlist-rejected");
}

/**
 * Refuse addresses whose domain the operator has blocked.
 * @throws ApiError `domain-blocked-for-registration`
 */
export function checkDomainNotBlocked({ email }: { email?: string }, settings: Settings): void {
  if (email === undefined) return;
  if (settings.setDomainsBlockedForRegistration.includes(domainOfEmail(email) ?? ""))
    throw new ApiError("domain-blocked-for-registration");
}

/**
 * Refuses identities that are in use or blocked. A registration that was never activated holds no claim, so it does not
 * make its identity unavailable; nor does a claim on an address that nobody has proved to be theirs.
 * @throws ApiError `key-exists`, `blacklisted-email`, `blacklisted-phone`
 */
export function checkAvailable({ claim, isBlocked, identity }: IdentityRecord): void {
  if (claim !== undefined && !isProvable(claim, identity)) throw new ApiError("key-exists");
  if (isBlocked) throw new ApiError(identity.kind === "email" ? "blacklisted-email" : "blacklisted-phone");
}

/**
 * Refuse an address or number that an account cannot change to. The rules of an address's domain apply only if a mail
 * must confirm the address. The order of these checks is part of the interface.
 *
 * @throws ApiError `blacklisted-email`, `blacklisted-phone`, `key-exists`, `domain-blocked-for-registration`,
 *   `condition-failed`, `allowlist-rejected`
 */
export function checkUsable(
  { claim, identity, isBlocked, registration }: IdentityRecord,
  { userId, teamId }: Pick<Account, "userId" | "teamId">,
  { isMailed, settings }: { readonly isMailed: boolean; readonly settings: Settings },
): void {
  const address = { [identity.kind]: identity.value };
  if (isBlocked) throw new ApiError(identity.kind === "email" ? "blacklisted-email" : "blacklisted-phone");
  const isOthers = claim !== undefined && claim.userId !== userId;
  if (isOthers && !(isMailed && isProvable(claim, identity))) throw new ApiError("key-exists");
  if (isMailed) {
    checkDomainNotBlocked(address, settings);
    checkAddressChange(registration, teamId);
  }
  checkAllowList(address, settings);
}
