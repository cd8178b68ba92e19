import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { isProvable } from "../account.ts";
import { type ContactIdentity, emailIdentity, phoneIdentity } from "../identity.ts";
import type { IdentityRecord } from "../identity-lookup.ts";

/** Parses whichever of address and number is given. @throws ApiError `invalid-email`, `invalid-phone` */
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
 * Refuses identities that are in use or blocked. A registration that was never activated holds no claim, so it does not
 * make its identity unavailable; nor does a claim on an address that nobody has proved to be theirs.
 * @throws ApiError `key-exists`, `blacklisted-email`, `blacklisted-phone`
 */
export function checkAvailable({ claim, isBlocked, identity }: IdentityRecord): void {
  if (claim !== undefined && !isProvable(claim, identity)) throw new ApiError("key-exists");
  if (isBlocked) throw new ApiError(identity.kind === "email" ? "blacklisted-email" : "blacklisted-phone");
}
