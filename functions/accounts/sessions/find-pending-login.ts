import { phoneIdentity } from "#shared/accounts/identity.ts";
import { isLive } from "#shared/codes/code.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";

/** Find the live login code of a phone number. @throws ApiError `no-pending-login`, `invalid-phone` */
export async function findPendingLogin(
  { codes, clock, verificationCodes }: Deps,
  phone: string,
): Promise<{ code: string; expires_in: number }> {
  const now = toSeconds(clock());
  const pending = await codes.get("login", phoneIdentity(phone).key);
  if (pending === undefined || !isLive(pending, now)) throw new ApiError("no-pending-login");
  const code = await verificationCodes.derive({ ...pending, codeKey: pending.key });
  return { code, expires_in: pending.expiresAt - now };
}
