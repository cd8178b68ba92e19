import { contactIdentity } from "#shared/accounts/identity.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";

/**
 * Check that an email address or phone number is on the block-list.
 *
 * @throws ApiError `not-found`, `invalid-email`, `invalid-phone`
 * @see operation `i-get-blacklist`
 */
export async function checkBlocked(
  { accounts, settings }: Deps,
  address: { email?: string; phone?: string },
): Promise<void> {
  if (!(await accounts.isBlocked(contactIdentity(address, settings)))) throw new ApiError("not-found");
}
