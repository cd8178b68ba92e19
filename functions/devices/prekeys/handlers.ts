import type * as z from "zod";
import { findDevice } from "#shared/devices/device.ts";
import { toPublicDevice } from "#shared/devices/public-device-view.ts";
import { checkLocalDomain, isLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Actor, Handlers, Reply } from "#shared/platform/http/route.ts";
import { claimPrekey, claimPrekeys, claimPrekeysOfUser } from "./claim-prekeys.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./routes.ts";
import type { listClientsBare } from "./schemas.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { devices, settings } = deps;

  const listDevices = async (userId: string) => ({
    body: Object.values((await devices.get(userId)).devices).map(toPublicDevice),
  });

  const getDevice = async (
    userId: string,
    clientId: string,
  ): Promise<Reply<(typeof routes)["get-user-client-qualified"]>> => {
    const device = findDevice(await devices.get(userId), clientId);
    return device === undefined ? { status: 404 } : { status: 200, body: toPublicDevice(device) };
  };

  /** Every local user has an entry, even an unknown one; remote users are left out. */
  const mapDevices = async (users: z.output<typeof listClientsBare>) => {
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

  const claimBundle = async ({ userId: claimerId }: Actor, userId: string) => ({
    body: { user: userId, clients: await claimPrekeysOfUser(deps, claimerId, userId) },
  });

  return {
    "get-user-clients-qualified": ({ params }) => {
      return listDevices(params.uid);
    },
    "get-user-clients-v0": ({ params }) => listDevices(params.uid),

    "get-user-client-qualified": ({ params }) => {
      return getDevice(params.uid, params.client);
    },
    "get-user-client-v0": ({ params }) => getDevice(params.uid, params.client),

    "list-clients-bulk@v2": async ({ body }) => ({
      body: { qualified_user_map: await mapDevices(body.qualified_users) },
    }),
    "list-clients-bulk-v0": async ({ body }) => ({ body: await mapDevices(body) }),
    "list-clients-bulk-v2": async ({ body }) => ({
      body: { qualified_user_map: await mapDevices(body.qualified_users) },
    }),

    "get-users-prekeys-client-qualified": async ({ actor, params }) => {
      return { body: await claimPrekey(deps, actor.userId, { userId: params.uid, clientId: params.client }) };
    },
    "get-users-prekeys-client-v0": async ({ actor, params }) => ({
      body: await claimPrekey(deps, actor.userId, { userId: params.uid, clientId: params.client }),
    }),

    "get-users-prekey-bundle-qualified": ({ actor, params }) => {
      return claimBundle(actor, params.uid);
    },
    "get-users-prekey-bundle-v0": ({ actor, params }) => claimBundle(actor, params.uid),

    "get-multi-user-prekey-bundle-qualified": async ({ actor, body }) => {
      const { claimed, remoteUsers } = await claimPrekeys(deps, actor.userId, body);
      return {
        body: {
          qualified_user_client_prekeys: inDomain(claimed),
          failed_to_list: remoteUsers.length === 0 ? undefined : remoteUsers,
        },
      };
    },
    "get-multi-user-prekey-bundle-qualified-v0": async ({ actor, body }) => {
      for (const domain of Object.keys(body)) checkLocalDomain(domain, settings);
      return { body: inDomain((await claimPrekeys(deps, actor.userId, body)).claimed) };
    },
    "get-multi-user-prekey-bundle-unqualified-v0": async ({ actor, body }) => ({
      body: (await claimPrekeys(deps, actor.userId, { [settings.domain]: body })).claimed,
    }),
  };
}
