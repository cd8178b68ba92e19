import { expect } from "vitest";
import type { Device } from "#shared/devices/device.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { deviceIdOf } from "#shared/devices/prekey.ts";
import { systemClock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type Api, type ApiAnswer, api } from "./api.ts";
import { eventually } from "./eventually.ts";
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

/** The devices of a user, oldest first. */
export const listDevices = async ({ token }: Pick<User, "token">, prefix = "/v8") =>
  (await api("GET", `${prefix}/clients`, { token })).body;

/** Ids of a user's devices, oldest first. */
export const deviceIdsOf = async (user: Pick<User, "token">) =>
  (await listDevices(user)).map(({ id }: { id: string }) => id);

/** Change a device. */
export const updateDevice = ({ token }: Pick<User, "token">, id: string, json: object) =>
  api("PUT", `/v8/clients/${id}`, { token, json });

/** Remove a device. */
export const removeDevice = ({ token }: Pick<User, "token">, id: string, json: object = {}) =>
  api("DELETE", `/v8/clients/${id}`, { token, json });

/** Ids of the prekeys that a device has left. */
export const prekeyIds = async ({ token }: Pick<User, "token">, id: string) =>
  (await api("GET", `/v8/clients/${id}/prekeys`, { token })).body;

/** Device events of a user in the order of the log, once there are this many. */
export const deviceEvents = ({ token }: Pick<User, "token">, count: number) =>
  eventually(async () => {
    const { body } = await api("GET", "/notifications", { token });
    // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever arrived
    const all = body.notifications.flatMap(({ payload }: any) => payload);
    const found = all.filter(({ type }: { type: string }) => type.startsWith("user.client-"));
    expect(found.length).toBeGreaterThanOrEqual(count);
    return found;
  });
