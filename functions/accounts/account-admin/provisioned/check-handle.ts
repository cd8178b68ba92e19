import { handlePattern } from "#shared/accounts/handle.ts";
import { handleIdentity } from "#shared/accounts/identity.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";

/**
 * Check that somebody has a handle.
 *
 * @throws ApiError `invalid-handle`, `not-found`
 * @see operation `i-check-handle`
 */
export async function checkHandle({ accounts }: Deps, handle: string): Promise<void> {
  if (!handlePattern.test(handle)) throw new ApiError("invalid-handle");
  if ((await accounts.findClaim(handleIdentity(handle))) === undefined) throw new ApiError("not-found");
}
