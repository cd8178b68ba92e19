import type { LimitFunction } from "p-limit";
import type * as z from "zod";
import { maxAnswerBytes } from "#shared/platform/http/answer-size.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type Devices, findDevice } from "./device.ts";
import { longestKey, type Prekey } from "./prekey.ts";
import type { DeviceId, PrekeyStore } from "./prekey-store.ts";
import type { userClientPrekeys } from "./public-device-view.ts";

/** Dependencies of claiming prekeys. */
interface ClaimDeps {
  readonly prekeys: PrekeyStore;
  /** Limits the concurrent claims of all requests in the process by its number of sockets. */
  readonly claimQueue: LimitFunction;
}

/** The data that a claim has read. */
export interface KnownDevices {
  /** By user id. */
  readonly devices: ReadonlyMap<string, Devices>;
  /** Whether the claimer gets other prekeys than the last-resort ones of a user. */
  readonly isGranted: (userId: string) => boolean;
}

/** Concurrent claims: enough for a typical group, and fewer than a process has sockets. */
export const maxConcurrentClaims = 100;

/** Devices besides the permanent ones: a temporary one and one for legal hold. */
const otherDevices = 2;

type ClientsByUser = Readonly<Record<string, readonly string[]>>;

const devicesIn = (clientsByUser: ClientsByUser): DeviceId[] =>
  Object.entries(clientsByUser).flatMap(([userId, clientIds]) =>
    [...new Set(clientIds)].map((clientId) => ({ userId, clientId })),
  );

/**
 * Check that a request does not claim prekeys for more users than a conversation can have, or more devices than those
 * can have.
 *
 * @param limits.userCount number of named users, if it is greater than that of users with devices here
 * @throws ApiError `too-many-clients`
 */
export function checkClaimSize(
  clientsByUser: ClientsByUser,
  {
    settings,
    userCount = Object.keys(clientsByUser).length,
  }: { readonly settings: Settings; readonly userCount?: number },
): void {
  if (userCount > settings.maxConvSize || devicesIn(clientsByUser).length > maxDevices(settings))
    throw new ApiError("too-many-clients");
}

/** Number of devices whose prekeys fit into one answer. */
const maxDevices = ({ maxConvSize, setUserMaxPermClients }: Settings) =>
  Math.min(maxConvSize * (setUserMaxPermClients + otherDevices), maxAnswerBytes / largestPrekeyBytes);

/** Bytes of a prekey in an answer: the longest key, and its share of the surrounding JSON. */
const largestPrekeyBytes = longestKey + 100;

/** Claim a prekey of each of several devices: null for a device that has none or is not known. */
export async function claimForUsers(
  deps: ClaimDeps,
  known: KnownDevices,
  clientsByUser: ClientsByUser,
): Promise<z.input<typeof userClientPrekeys>> {
  const claims = await claimEach(deps, known, devicesIn(clientsByUser));
  const byUser = Map.groupBy(claims, ({ userId }) => userId);
  const claimsOf = (userId: string) =>
    (byUser.get(userId) ?? []).map(({ clientId, prekey }) => [clientId, prekey ?? null]);
  return Object.fromEntries(
    Object.keys(clientsByUser).map((userId) => [userId, Object.fromEntries(claimsOf(userId))]),
  );
}

/** Devices whose prekeys are taken together; fewer take one call each, in a single round trip. */
const fewestTogether = 4;
/** Rounds for prekeys that others have taken meanwhile, and pages that are empty. */
const maxRounds = 2;

/**
 * Claim a prekey of each device. Skips devices that have not been read before, because they may be newer than the state
 * that the caller has checked.
 */
export async function claimEach(
  { prekeys, claimQueue }: ClaimDeps,
  known: KnownDevices,
  devices: readonly DeviceId[],
): Promise<(DeviceId & { prekey: Prekey | undefined })[]> {
  const present = devices.filter(({ userId, clientId }) => {
    const owned = known.devices.get(userId);
    return owned !== undefined && findDevice(owned, clientId) !== undefined;
  });
  const claimed = new Map<DeviceId, Prekey | undefined>();
  let left = present.filter(({ userId }) => known.isGranted(userId));
  for (let round = 0; round < maxRounds && left.length >= fewestTogether; round++) {
    const taken = await prekeys.claimOfEach(left);
    left.forEach((device, index) => {
      if (taken[index] !== undefined) claimed.set(device, taken[index]);
    });
    left = left.filter((device) => !claimed.has(device));
  }
  await claimQueue.map(
    present.filter((device) => !claimed.has(device)),
    async (device) => {
      const { userId, clientId } = device;
      const claiming = known.isGranted(userId)
        ? prekeys.claim(userId, clientId)
        : prekeys.lastResort(userId, clientId);
      claimed.set(device, await claiming);
    },
  );
  return devices.map((device) => ({ ...device, prekey: claimed.get(device) }));
}
