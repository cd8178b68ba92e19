import { type ContactIdentity, emailIdentity, phoneIdentity } from "../data/account/identity.ts";
import type { IdentityRecord } from "../data/identity-lookup.ts";
import { ApiError } from "../errors.ts";
import type { Settings } from "../settings.ts";

/** @throws ApiError `invalid-email`, `invalid-phone` */
export function contactIdentities(
  { email, phone }: { email?: string; phone?: string },
  settings: Settings,
): ContactIdentity[] {
  return [
    ...(email === undefined ? [] : [emailIdentity(email, settings)]),
    ...(phone === undefined ? [] : [phoneIdentity(phone)]),
  ];
}

/** A registration that was never activated holds no claim, so it does not stand in the way. */
export function checkAvailable({ claim, isBlocked, identity }: IdentityRecord): void {
  if (claim !== undefined) throw new ApiError("key-exists");
  if (isBlocked) throw new ApiError(identity.kind === "email" ? "blacklisted-email" : "blacklisted-phone");
}
