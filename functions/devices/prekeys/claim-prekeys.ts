import type * as z from "zod";
import { readClaimAllowances } from "#shared/conversations/connections/claim-allowances.ts";
import { guardMessages } from "#shared/conversations/legal-hold/guard.ts";
import {
  checkClaimSize,
  claimEach,
  claimForUsers,
  type KnownDevices,
} from "#shared/devices/claim-prekeys.ts";
import { hasLegalHoldDevice } from "#shared/devices/device.ts";
import type { DeviceId } from "#shared/devices/prekey-store.ts";
import type { userClientPrekeys } from "#shared/devices/public-device-view.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { isLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Deps } from "./deps.ts";
import type { clientPrekey, qualifiedUserClients } from "./routes.ts";

type ClientPrekey = z.input<typeof clientPrekey>;

/**
 * Claim a prekey of a device.
 * @throws ApiError `not-found`, `missing-legalhold-consent`, `concurrent-change`
 * @see operation `get-users-prekeys-client-qualified`
 */
export async function claimPrekey(
  deps: Deps,
  claimerId: string,
  { userId, clientId }: DeviceId,
): Promise<ClientPrekey> {
  const known = await readForClaim(deps, claimerId, [userId]);
  const [claim] = await claimEach(deps, known, [{ userId, clientId }]);
  if (claim?.prekey === undefined) throw new ApiError("not-found");
  return { client: clientId, prekey: claim.prekey };
}

/**
 * Claim a prekey of each device of a user that has one.
 * @throws ApiError `missing-legalhold-consent`, `concurrent-change`
 * @see operation `get-users-prekey-bundle-qualified`
 */
export async function claimPrekeysOfUser(
  deps: Deps,
  claimerId: string,
  userId: string,
): Promise<ClientPrekey[]> {
  const known = await readForClaim(deps, claimerId, [userId]);
  const clientIds = Object.keys(known.devices.get(userId)?.devices ?? {});
  const claims = await claimEach(
    deps,
    known,
    clientIds.map((clientId) => ({ userId, clientId })),
  );
  return claims.flatMap(({ clientId, prekey }) =>
    prekey === undefined ? [] : [{ client: clientId, prekey }],
  );
}

/**
 * Claim a prekey of each of several devices; the result is null for a device that has none or does not exist.
 *
 * @returns what was claimed for local users, and the users of other domains
 * @throws ApiError `too-many-clients` for more users than a conversation can have, or more devices than those can have,
 * `missing-legalhold-consent` and `concurrent-change`
 * @see operation `get-multi-user-prekey-bundle-qualified`
 */
export async function claimPrekeys(
  deps: Deps,
  claimerId: string,
  wanted: z.output<typeof qualifiedUserClients>,
): Promise<{ claimed: z.input<typeof userClientPrekeys>; remoteUsers: { domain: string; id: string }[] }> {
  const { settings } = deps;
  const users = Object.entries(wanted).flatMap(([domain, ofDomain]) =>
    Object.entries(ofDomain).map(([id, clientIds]) => ({ domain, id, clientIds })),
  );
  const local = users.filter(({ domain }) => isLocalDomain(domain, settings));
  const clientsByUser: Record<string, string[]> = {};
  // A domain can be spelt in upper and lower case.
  for (const { id, clientIds } of local) clientsByUser[id] = [...(clientsByUser[id] ?? []), ...clientIds];
  checkClaimSize(clientsByUser, { settings, userCount: users.length });
  const known = await readForClaim(deps, claimerId, Object.keys(clientsByUser));
  return {
    claimed: await claimForUsers(deps, known, clientsByUser),
    remoteUsers: users.filter((user) => !local.includes(user)).map(({ domain, id }) => ({ domain, id })),
  };
}

/**
 * Check legal hold on the devices of the claimer and of those whose prekeys are claimed. A claim removes prekeys, so
 * this runs first. At the same time, the claimer's allowance is read and charged.
 * @throws ApiError `missing-legalhold-consent`
 */
async function readForClaim(
  deps: Deps,
  claimerId: string,
  userIds: readonly string[],
): Promise<KnownDevices> {
  const wanted = [...new Set([claimerId, ...userIds])];
  const [found, allowanceOf] = await Promise.all([
    deps.devices.getMany(wanted),
    readClaimAllowances(deps, { kind: "prekeys", claimerId, userIds }),
  ]);
  const underHold = new Set(found.filter(hasLegalHoldDevice).map(({ userId }) => userId));
  await guardMessages(deps, { userIds: wanted, underHold });
  return {
    devices: new Map(found.map((one) => [one.userId, one])),
    isGranted: (userId) => allowanceOf(userId) === "granted",
  };
}
