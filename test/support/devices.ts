import { inject } from "vitest";
import type { Config } from "#shared/config.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { transact } from "#shared/data/conditions.ts";
import type { Device } from "#shared/data/device/device.ts";
import { DeviceStore } from "#shared/data/device/device-store.ts";
import { clientIdOf } from "#shared/data/device/prekey.ts";
import { type Api, type ApiAnswer, api } from "./api.ts";
import { lastPrekey, newPrekeys } from "./prekeys.ts";
import type { User } from "./users.ts";

/** The request that registers a new permanent device, with these fields besides. */
export const newDevice = (fields: Record<string, unknown> = {}) => ({
  type: "permanent",
  prekeys: newPrekeys(3),
  lastkey: lastPrekey(),
  ...fields,
});

/** Id that the device of a request gets. */
export const idOf = ({ lastkey }: Pick<ReturnType<typeof newDevice>, "lastkey">) => clientIdOf(lastkey);

export const addClient = (
  { token }: Pick<User, "token">,
  fields: Record<string, unknown> = {},
  { publicApi = api, prefix = "/v8" }: { publicApi?: Api; prefix?: string } = {},
): Promise<ApiAnswer> => publicApi("POST", `${prefix}/clients`, { token, json: newDevice(fields) });

/** Change a stored device of a user in ways that no client can, or put one there. */
export async function putDevice(
  { id: userId }: Pick<User, "id">,
  device: Pick<Device, "clientId"> & Partial<Device>,
): Promise<void> {
  Object.assign(process.env, inject("emulators").environment);
  const client = createDocumentClient();
  const config: Pick<Config, "tableName"> = { tableName: (name) => `test-${name}` };
  const store = new DeviceStore(client, config as Config);
  const current = await store.get(userId);
  const blank = { type: "permanent" as const, capabilities: [], mlsPublicKeys: {}, registeredAt: Date.now() };
  const changed = { ...blank, ...current.devices[device.clientId], ...device };
  await transact(client, [store.put(current, { ...current.devices, [device.clientId]: changed })]);
}
