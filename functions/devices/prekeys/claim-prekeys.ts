import type * as z from "zod";
import { readClaimAllowances } from "#shared/connections/claim-allowances.ts";
import { type Devices, findDevice, hasLegalHoldDevice } from "#shared/devices/device.ts";
import { longestKey, type Prekey } from "#shared/devices/prekey.ts";
import { guardMessages } from "#shared/legal-hold/guard.ts";
import { maxAnswerBytes } from "#shared/platform/http/answer-size.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { isLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Deps } from "./deps.ts";
import type { clientPrekey, qualifiedUserClients, userClientPrekeys } from "./schemas.ts";

type ClientPrekey = z.input<typeof clientPrekey>;

interface DeviceId {
  readonly userId: string;
  readonly clientId: string;
}

/** What is known of the users of a claim. */
interface Known {
  /** By user id. */
  readonly devices: ReadonlyMap<string, Devices>;
  /** Whether the claimer gets other prekeys than the last-resort ones of a user. */
  readonly isGranted: (userId: string) => boolean;
}

/** Devices besides the permanent ones: a temporary one and one for legal hold. */
const otherDevices = 2;

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
 * Claim a prekey of each of several devices: null for a device that has none or does not exist.
 *
 * @returns what was claimed for local users, and the users of other domains
 * @throws ApiError `too-many-clients` for more users than a conversation can have, or more devices than those can have,
 *   `missing-legalhold-consent` and `concurrent-change`
 * @see operation `get-multi-user-prekey-bundle-qualified`
 */
export async function claimPrekeys(
  deps: Deps,
  claimerId: string,
  wanted: z.output<typeof qualifiedUserClients>,
): Promise<{ claimed: z.input<typeof userClientPrekeys>; remoteUsers: { domain: string; id: string }[] }> {
  const { settings } = deps;
  const users = Object.entries(wanted).flatMap(([domain, clientsByUser]) =>
    Object.entries(clientsByUser).map(([id, clientIds]) => ({ domain, id, clientIds: new Set(clientIds) })),
  );
  const local = users.filter(({ domain }) => isLocalDomain(domain, settings));
  const devices = local.flatMap(({ id, clientIds }) =>
    [...clientIds].map((clientId) => ({ userId: id, clientId })),
  );
  if (users.length > settings.maxConvSize || devices.length > maxDevices(settings)) {
    throw new ApiError("too-many-clients");
  }
  const known = await readForClaim(
    deps,
    claimerId,
    local.map(({ id }) => id),
  );
  const claims = Map.groupBy(await claimEach(deps, known, devices), ({ userId }) => userId);
  const claimsOf = (userId: string) =>
    (claims.get(userId) ?? []).map(({ clientId, prekey }) => [clientId, prekey ?? null]);
  return {
    claimed: Object.fromEntries(local.map(({ id }) => [id, Object.fromEntries(claimsOf(id))])),
    remoteUsers: users.filter((user) => !local.includes(user)).map(({ domain, id }) => ({ domain, id })),
  };
}

/** As many devices as one answer has room for the prekeys of. */
const maxDevices = ({ maxConvSize, setUserMaxPermClients }: Settings) =>
  Math.min(maxConvSize * (setUserMaxPermClients + otherDevices), maxAnswerBytes / largestPrekeyBytes);

/** Bytes of a prekey in an answer: the longest key, and its share of what surrounds it. */
const largestPrekeyBytes = longestKey + 100;

/**
 * Check legal hold on the devices of the claimer and of those whose prekeys are claimed. A claim removes prekeys, so
 * this runs first. What the claimer may have is read, and charged, at the same time.
 * @throws ApiError `missing-legalhold-consent`
 */
async function readForClaim(deps: Deps, claimerId: string, userIds: readonly string[]): Promise<Known> {
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

/**
 * Claims concurrently, as far as there are sockets. Skips devices that the guard has not seen, because they may be
 * newer.
 */
const claimEach = (
  { prekeys, claimQueue }: Deps,
  known: Known,
  devices: readonly DeviceId[],
): Promise<(DeviceId & { prekey: Prekey | undefined })[]> =>
  claimQueue.map(devices, async (device) => {
    const { userId, clientId } = device;
    const owned = known.devices.get(userId);
    if (owned === undefined || findDevice(owned, clientId) === undefined)
      return { ...device, prekey: undefined };
    const claiming = known.isGranted(userId)
      ? prekeys.claim(userId, clientId)
      : prekeys.lastResort(userId, clientId);
    return { ...device, prekey: await claiming };
  });
