import { reauthenticate } from "#shared/accounts/credentials/reauthenticate.ts";
import { orderConversationJob } from "#shared/conversations/conversation-job.ts";
import { type Device, DeviceNotFoundError, findDevice, TooManyPrekeysError } from "#shared/devices/device.ts";
import { capabilitiesIn, toDeviceView } from "#shared/devices/device-view.ts";
import { type RemovalState, readForRemoval, removeDevice } from "#shared/devices/remove-device.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { addDevice, queueWrites } from "./add-device.ts";
import { checkKeys } from "./check-keys.ts";
import { createAccessToken } from "./create-access-token.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./routes.ts";
import type { UpdateDevice } from "./schemas.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { config, devices, nonces, prekeys } = deps;

  const find = async (userId: string, clientId: string) => findDevice(await devices.get(userId), clientId);

  async function list(userId: string) {
    const { devices: own } = await devices.get(userId);
    return Object.values(own).toSorted((one, other) => one.registeredAt - other.registeredAt);
  }

  const nonceHeaders = async (userId: string, clientId: string) => ({
    "replay-nonce": await nonces.issue(userId, clientId),
    "cache-control": "no-store",
  });

  return {
    "add-client": async ({ actor, body, version }) => {
      const device = await addDevice(deps, actor, body);
      return { headers: { location: device.clientId }, body: toDeviceView(device, version) };
    },

    "list-clients": async ({ actor, version }) => ({
      body: (await list(actor.userId)).map((device) => toDeviceView(device, version)),
    }),

    "get-client": async ({ actor, params, version }) => {
      const device = await find(actor.userId, params.client);
      return device === undefined ? { status: 404 } : { status: 200, body: toDeviceView(device, version) };
    },

    "update-client": async ({ actor, params, body }) => {
      await updateDevice(deps, actor.userId, params.client, body);
      return {};
    },

    "delete-client": async ({ actor, params, body }) => {
      await deleteDevice(deps, actor, { clientId: params.client, password: body.password });
      return {};
    },

    "i-delete-client": async ({ params }) => {
      await deleteDeviceOf(deps, params.uid, params.client);
      return {};
    },

    "get-client-capabilities": async ({ actor, params, version }) => {
      const device = await find(actor.userId, params.client);
      if (device === undefined) throw new ApiError("client-not-found");
      return { body: capabilitiesIn(version, device) };
    },

    "get-client-prekeys": async ({ actor, params }) => ({
      body: await prekeys.ids(actor.userId, params.client),
    }),

    "get-nonce": async ({ actor, params }) => ({ headers: await nonceHeaders(actor.userId, params.client) }),
    "head-nonce": async ({ actor, params }) => ({ headers: await nonceHeaders(actor.userId, params.client) }),

    "create-access-token": async ({ actor, params, headers, version, isPrefixed }) => {
      const prefix = isPrefixed ? `/v${version}` : "";
      const { token, lifetimeSeconds } = await createAccessToken(deps, {
        userId: actor.userId,
        clientId: params.client,
        proof: headers.DPoP,
        uri: `${config.publicUrl}${prefix}/clients/${encodeURIComponent(params.client)}/access-token`,
      });
      return {
        headers: { "cache-control": "no-store" },
        body: { token, type: "DPoP", expires_in: lifetimeSeconds },
      };
    },
  };
}

/**
 * Delete a device of the actor, who must give the password unless the device is temporary.
 *
 * @throws ApiError `client-not-found`, `legal-hold-device`, and those of `reauthenticate`
 * @see operation `delete-client`
 */
async function deleteDevice(
  deps: Deps,
  actor: Actor,
  { clientId, password }: { clientId: string; password?: string },
): Promise<void> {
  const { accounts, passwordChecks } = deps;
  const { userId } = actor;
  const [account, state] = await Promise.all([accounts.get(userId), readForRemoval(deps, userId)]);
  if (account === undefined) throw new ApiError("client-not-found");
  const { type } = deletable(state, clientId);
  if (type !== "temporary") await reauthenticate(passwordChecks, account, password);
  await removeDevice(
    deps,
    { userId, clientId, origin: actor, orders: ordersFor(deps, userId, clientId) },
    state,
  );
}

/**
 * Delete a device of a user on behalf of an operator.
 *
 * @throws ApiError `client-not-found`, `legal-hold-device`
 * @see operation `i-delete-client`
 */
async function deleteDeviceOf(deps: Deps, userId: string, clientId: string): Promise<void> {
  // The account tells the audit trail the user's team.
  const [state] = await Promise.all([readForRemoval(deps, userId), deps.accounts.get(userId)]);
  deletable(state, clientId);
  await removeDevice(deps, { userId, clientId, orders: ordersFor(deps, userId, clientId) }, state);
}

function deletable({ devices }: RemovalState, clientId: string): Device {
  const device = findDevice(devices, clientId);
  if (device === undefined) throw new ApiError("client-not-found");
  if (device.type === "legalhold") throw new ApiError("legal-hold-device");
  return device;
}

const ordersFor = ({ outbox }: Deps, userId: string, clientId: string) => [
  orderConversationJob(outbox, { job: "remove-device", userId, clientId }),
];

/**
 * Change the given fields of a device; prekeys are added to those that it has.
 *
 * @throws ApiError `bad-request`, `client-not-found`, `legal-hold-device`, `client-capabilities-cannot-be-removed`,
 *   `mls-duplicate-public-key`
 * @see operation `update-client`
 */
async function updateDevice(
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
