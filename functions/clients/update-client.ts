import { retryStale, transact } from "#shared/data/conditions.ts";
import { type Device, findDevice } from "#shared/data/device/device.ts";
import { ApiError } from "#shared/errors.ts";
import { checkKeys } from "./check-keys.ts";
import type { Deps } from "./deps.ts";
import type { UpdateClient } from "./schemas.ts";
import { stageQueue } from "./stage-queue.ts";

/**
 * Change what is named of a device; prekeys are added to those that it has.
 *
 * @throws ApiError `bad-request`, `client-not-found`, `client-capabilities-cannot-be-removed`,
 *   `mls-duplicate-public-key`
 * @see operation `update-client`
 */
export async function updateClient(
  deps: Deps,
  userId: string,
  clientId: string,
  wish: UpdateClient,
): Promise<void> {
  const { client, devices: deviceStore, prekeys: prekeyStore } = deps;
  const { prekeys, lastkey, mls_public_keys: addedKeys } = checkKeys(wish);
  await retryStale(async () => {
    const [devices, prekeyWrites, queue] = await Promise.all([
      deviceStore.get(userId),
      prekeyStore.add(userId, clientId, prekeys, lastkey),
      stageQueue(deps, userId, clientId, wish.capabilities),
    ]);
    const device = findDevice(devices, clientId);
    if (device === undefined) throw new ApiError("client-not-found");
    const changed: Device = {
      ...device,
      label: wish.label ?? device.label,
      capabilities: grown(device, wish.capabilities),
      mlsPublicKeys: withKeys(device, addedKeys),
    };
    const changesDevice = wish.label !== undefined || wish.capabilities || Object.keys(addedKeys).length > 0;
    if (!changesDevice && prekeyWrites.length === 0) return;
    await transact(client, [
      changesDevice
        ? deviceStore.put(devices, { ...devices.devices, [clientId]: changed })
        : deviceStore.require(userId, clientId),
      ...prekeyWrites,
      ...queue,
    ]);
  });
}

function grown(device: Device, wanted: Device["capabilities"] | undefined): Device["capabilities"] {
  if (wanted === undefined) return device.capabilities;
  if (device.capabilities.some((present) => !wanted.includes(present)))
    throw new ApiError("client-capabilities-cannot-be-removed");
  return [...new Set(wanted)];
}

function withKeys({ mlsPublicKeys }: Device, added: Device["mlsPublicKeys"]): Device["mlsPublicKeys"] {
  if (Object.keys(added).some((scheme) => Object.hasOwn(mlsPublicKeys, scheme)))
    throw new ApiError("mls-duplicate-public-key");
  return { ...mlsPublicKeys, ...added };
}
