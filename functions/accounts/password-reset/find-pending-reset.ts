import { isLive, isLiveByKey } from "#shared/codes/code.ts";
import { linkKey } from "#shared/codes/link-key.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";
import { resetTarget } from "./reset-target.ts";

/** Find the live reset code of an address, and the key that its mail contains. @throws ApiError `no-password-reset`, `invalid-email`, `invalid-phone` */
export async function findPendingReset(
  deps: Deps,
  address: { email?: string; phone?: string },
): Promise<{ key: string; code: string }> {
  const { clock, codes, verificationCodes } = deps;
  const { key, claim } = await resetTarget(deps, address);
  const pending = claim && (await codes.get("password-reset", key));
  const now = toSeconds(clock());
  if (pending === undefined || !(isLive(pending, now) || isLiveByKey(pending, now)))
    throw new ApiError("no-password-reset");
  return { key: linkKey(key, pending), code: await verificationCodes.derive({ ...pending, codeKey: key }) };
}
