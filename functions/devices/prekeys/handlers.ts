import type * as z from "zod";
import { findDevice } from "#shared/devices/device.ts";
import { toPublicDevice } from "#shared/devices/public-device-view.ts";
import { isLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { claimPrekey, claimPrekeys, claimPrekeysOfUser } from "./claim-prekeys.ts";
import type { Deps } from "./deps.ts";
import type { listClients, routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { devices, settings } = deps;

  /** Every local user has an entry, even an unknown one; remote users are left out. */
  const mapDevices = async (users: z.output<typeof listClients>["qualified_users"]) => {
    const userIds = users.filter(({ domain }) => isLocalDomain(domain, settings)).map(({ id }) => id);
    const found = await devices.getMany(userIds);
    return inDomain({
      ...Object.fromEntries(userIds.map((userId) => [userId, []])),
      ...Object.fromEntries(found.map((one) => [one.userId, Object.values(one.devices).map(toPublicDevice)])),
    });
  };

  /** Nests users under the domain, unless there are none. */
  const inDomain = <Value>(byUser: Record<string, Value>): Record<string, Record<string, Value>> =>
    Object.keys(byUser).length === 0 ? {} : { [settings.domain]: byUser };

  return {
    "get-user-clients-qualified": async ({ params }) => ({
      body: Object.values((await devices.get(params.uid)).devices).map(toPublicDevice),
    }),

    "get-user-client-qualified": async ({ params }) => {
      const device = findDevice(await devices.get(params.uid), params.client);
      return device === undefined ? { status: 404 } : { status: 200, body: toPublicDevice(device) };
    },

    "list-clients-bulk@v2": async ({ body }) => ({
      body: { qualified_user_map: await mapDevices(body.qualified_users) },
    }),

    "get-users-prekeys-client-qualified": async ({ actor, params }) => {
      return { body: await claimPrekey(deps, actor.userId, { userId: params.uid, clientId: params.client }) };
    },

    "get-users-prekey-bundle-qualified": async ({ actor, params }) => ({
      body: { user: params.uid, clients: await claimPrekeysOfUser(deps, actor.userId, params.uid) },
    }),

    "get-multi-user-prekey-bundle-qualified": async ({ actor, body }) => {
      const { claimed, remoteUsers } = await claimPrekeys(deps, actor.userId, body);
      return {
        body: {
          qualified_user_client_prekeys: inDomain(claimed),
          failed_to_list: remoteUsers.length === 0 ? undefined : remoteUsers,
        },
      };
    },
  };
}
