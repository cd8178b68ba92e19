import { ApiError } from "#shared/platform/http/api-error.ts";
import { isSameSecret } from "#shared/platform/secrets/is-same-secret.ts";
import { hashDomainToken } from "#shared/teams/registered-domains/challenge-store.ts";
import type { DomainRegistration } from "#shared/teams/registered-domains/domain-registration.ts";

/**
 * Check the token that proves ownership of a domain.
 * @throws ApiError `domain-registration-update-auth-failure`
 */
export function checkOwnership(
  registration: DomainRegistration | undefined,
  token: string,
): DomainRegistration {
  const hash = registration?.ownershipTokenHash;
  if (registration === undefined || hash === undefined || !isSameSecret(hashDomainToken(token), hash))
    throw new ApiError("domain-registration-update-auth-failure");
  return registration;
}
