import { type Device, findDevice } from "#shared/devices/device.ts";
import { DeviceNotFoundError, TooManyPrekeysError } from "#shared/devices/device-errors.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { checkKeys } from "./check-keys.ts";
import type { Deps } from "./deps.ts";
import { queueWrites } from "./queue-writes.ts";
import type { UpdateDevice } from "./schemas.ts";

/**
 * Change the given fields of a device; prekeys are added to those that it has.
 *
 * @throws ApiError `bad-request`, `client-not-found`, `legal-hold-device`, `client-capabilities-cannot-be-removed`,
 *   `mls-duplicate-public-key`
 * @see operation `update-client`
 */
export async function updateDevice(
  deps: Deps,
  userId: string,
  clientId: string,
  request: UpdateDevice,
): Promise<void> {
  const { devices: deviceStore, prekeys: prekeyStore } = deps;
  const { prekeys, lastkey, mls_public_keys: addedKeys } = checkKeys(request);
  await change(deps, async () => {
    const [devices, prekeyWrites, queue] = await Promise.all([
      deviceStore.get(userId),
      prekeyStore.add(userId, clientId, prekeys, lastkey),
      queueWrites(deps, userId, clientId, request.capabilities),
    ]);
    const device = findDevice(devices, clientId);
    if (device === undefined) throw new ApiError("client-not-found");
    if (device.type === "legalhold") throw new ApiError("legal-hold-device");
    const changed: Device = {
      ...device,
      label: request.label ?? device.label,
      capabilities: grown(device, request.capabilities),
      mlsPublicKeys: withKeys(device, addedKeys),
    };
    const changesDevice =
      request.label !== undefined || request.capabilities || Object.keys(addedKeys).length > 0;
    if (!changesDevice && prekeyWrites.length === 0) return undefined;
    const deviceWrite = changesDevice
      ? deviceStore.put(devices, { ...devices.devices, [clientId]: changed })
      : deviceStore.require(userId, clientId);
    return { writes: [deviceWrite, ...prekeyWrites, ...queue] };
  })
    .catch(answer(DeviceNotFoundError, "client-not-found"))
    .catch(answer(TooManyPrekeysError, "bad-request", ({ message }) => ({ message })));
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
