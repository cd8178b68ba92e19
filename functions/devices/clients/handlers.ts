import { findDevice } from "#shared/devices/device.ts";
import { capabilitiesIn, toDeviceView } from "#shared/devices/device-view.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { addDevice } from "./add-device.ts";
import { createAccessToken } from "./create-access-token.ts";
import { deleteDevice, deleteDeviceOf } from "./delete-device.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./routes.ts";
import { updateDevice } from "./update-device.ts";

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
