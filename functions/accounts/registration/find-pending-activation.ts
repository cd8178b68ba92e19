import { pendingCodes, referenceTo } from "#shared/accounts/activation/activation-code.ts";
import { contactIdentity } from "#shared/accounts/identity.ts";
import { activationKey } from "#shared/accounts/identity-lookup.ts";
import { isLive, isLiveByKey } from "#shared/codes/code.ts";
import { linkKey } from "#shared/codes/link-key.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";

/** Find the newest live activation code of an address or number. @throws ApiError `no-activation-code` */
export async function findPendingActivation(
  { codes, settings, clock, verificationCodes }: Deps,
  address: { email?: string; phone?: string },
): Promise<{ key: string; code: string }> {
  const now = clock();
  const activation = await codes.get("activation", activationKey(contactIdentity(address, settings)));
  const newest = pendingCodes(activation, now).at(-1);
  const isPending =
    activation !== undefined &&
    (isLive(activation, toSeconds(now)) || isLiveByKey(activation, toSeconds(now)));
  if (!isPending || newest === undefined) throw new ApiError("no-activation-code");
  const { key } = activation;
  return { key: linkKey(key, newest), code: await verificationCodes.derive(referenceTo(key, newest)) };
}
