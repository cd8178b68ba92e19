import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { mailDomain } from "../identity.ts";

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
  const domain = email === undefined ? undefined : mailDomain(email.trim());
  const isAllowed =
    (domain === undefined ||
      domains === undefined ||
      domains.some((allowed) => mailDomain(allowed) === domain)) &&
    (phone === undefined || prefixes === undefined || prefixes.some((prefix) => phone.startsWith(prefix)));
  if (!isAllowed) throw new ApiError("allowlist-rejected");
}

/**
 * Refuse addresses whose domain the operator has blocked.
 * @throws ApiError `domain-blocked-for-registration`
 */
export function checkDomainNotBlocked({ email }: { email?: string }, settings: Settings): void {
  if (email === undefined) return;
  const domain = mailDomain(email.trim());
  if (settings.setDomainsBlockedForRegistration.some((blocked) => mailDomain(blocked) === domain))
    throw new ApiError("domain-blocked-for-registration");
}
