import { toSeconds } from "#shared/clock.ts";
import { contactIdentity } from "#shared/data/account/identity.ts";
import { isLive } from "#shared/data/code/code.ts";
import { activationKey } from "#shared/data/identity-lookup.ts";
import { ApiError } from "#shared/errors.ts";
import type { Deps } from "./deps.ts";

/** @throws ApiError `no-activation-code` */
export async function findPendingActivation(
  { codes, settings, clock, verificationCodes }: Deps,
  address: { email?: string; phone?: string },
): Promise<{ key: string; code: string }> {
  const pending = await codes.get("activation", activationKey(contactIdentity(address, settings)));
  if (pending === undefined || !isLive(pending, toSeconds(clock()))) throw new ApiError("no-activation-code");
  return { key: pending.key, code: await verificationCodes.derive({ ...pending, codeKey: pending.key }) };
}
