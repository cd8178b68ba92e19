import { contactIdentity } from "#shared/accounts/identity.ts";
import { activationKey } from "#shared/accounts/identity-lookup.ts";
import { isLive } from "#shared/codes/code.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";

/** Find the live activation code of an address or number. @throws ApiError `no-activation-code` */
export async function findPendingActivation(
  { codes, settings, clock, verificationCodes }: Deps,
  address: { email?: string; phone?: string },
): Promise<{ key: string; code: string }> {
  const pending = await codes.get("activation", activationKey(contactIdentity(address, settings)));
  if (pending === undefined || !isLive(pending, toSeconds(clock()))) throw new ApiError("no-activation-code");
  return { key: pending.key, code: await verificationCodes.derive({ ...pending, codeKey: pending.key }) };
}
