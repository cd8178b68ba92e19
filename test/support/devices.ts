import type { Device } from "#shared/devices/device.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { deviceIdOf } from "#shared/devices/prekey.ts";
import { systemClock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type Api, type ApiAnswer, api } from "./api.ts";
import { lastPrekey, newPrekeys } from "./prekeys.ts";
import type { User } from "./users.ts";

/** The request body that registers a new permanent device, with these additional fields. */
export const newDevice = (fields: Record<string, unknown> = {}) => ({
  type: "permanent",
  prekeys: newPrekeys(3),
  lastkey: lastPrekey(),
  ...fields,
});

/** Id that the device in a registration request will get. */
export const idOf = ({ lastkey }: Pick<ReturnType<typeof newDevice>, "lastkey">) => deviceIdOf(lastkey);

/** Register a device through the API. */
export const registerDevice = (
  { token }: Pick<User, "token">,
  fields: Record<string, unknown> = {},
  { publicApi = api, prefix = "/v8" }: { publicApi?: Api; prefix?: string } = {},
): Promise<ApiAnswer> => publicApi("POST", `${prefix}/clients`, { token, json: newDevice(fields) });

/** Change a user's stored device in ways that the API does not allow, or create one. */
export async function putDevice(
  { id: userId }: Pick<User, "id">,
  device: Pick<Device, "clientId"> & Partial<Device>,
): Promise<void> {
  const dynamo = createDynamo();
  const config: Pick<Config, "tableName"> = { tableName: (name) => `test-${name}` };
  const store = new DeviceStore({ dynamo, config: config as Config, clock: systemClock });
  const current = await store.get(userId);
  const blank = { type: "permanent" as const, capabilities: [], mlsPublicKeys: {}, registeredAt: Date.now() };
  const changed = { ...blank, ...current.devices[device.clientId], ...device };
  await transact(dynamo, [store.put(current, { ...current.devices, [device.clientId]: changed })]);
}
