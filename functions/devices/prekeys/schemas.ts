import * as z from "zod";
import { prekeyItem } from "#shared/devices/prekey.ts";
import { pubClientList, userClientPrekeys, userClients } from "#shared/devices/public-device-view.ts";
import { deviceId } from "#shared/platform/http/device-id.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

const clientId = deviceId.meta({ description: "Id of a device" });

export const userPath = z.object({ uid_domain: wire.domain, uid: wire.userId });
export const devicePath = userPath.extend({ client: clientId });

export const unqualifiedUserPath = userPath.omit({ uid_domain: true });
export const unqualifiedDevicePath = devicePath.omit({ uid_domain: true });

const qualifiedUsers = z.array(wire.qualifiedId).min(1).max(500);
const exampleUser = "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60";
const exampleDevice = "b420f65ee6e567f8";
export const listClients = z.object({ qualified_users: qualifiedUsers }).meta({
  id: "ListClients",
  examples: [{ qualified_users: [{ domain: "parley.localhost", id: exampleUser }] }],
});
export const listClientsBare = qualifiedUsers.meta({
  examples: [[{ domain: "parley.localhost", id: exampleUser }]],
});

const clientsByUser = z.record(z.uuid(), pubClientList);
export const qualifiedUserMap = z
  .record(z.string(), clientsByUser)
  .meta({ description: "Devices by domain and user id; unknown users have none" });
export const wrappedUserMap = z
  .object({ qualified_user_map: qualifiedUserMap })
  .meta({ id: "QualifiedUserMap" });

export const clientPrekey = z
  .object({ client: z.string().meta({ description: "Id of the device" }), prekey: prekeyItem })
  .meta({ id: "ClientPrekey" });
export const prekeyBundle = z
  .object({
    user: z.uuid(),
    clients: z.array(clientPrekey).meta({ description: "One prekey of each device that has any" }),
  })
  .meta({ id: "PrekeyBundle" });

export const qualifiedUserClients = z.record(z.string(), userClients).meta({
  id: "QualifiedUserClients",
  description: "Device ids by domain and user id",
  examples: [{ "parley.localhost": { [exampleUser]: [exampleDevice] } }],
});

export const qualifiedUserClientPrekeys = z.record(z.string(), userClientPrekeys);
export const wrappedUserClientPrekeys = z
  .object({
    qualified_user_client_prekeys: qualifiedUserClientPrekeys,
    failed_to_list: z
      .array(wire.qualifiedId)
      .optional()
      .meta({ description: "Users of other domains, which cannot be reached" }),
  })
  .meta({ id: "QualifiedUserClientPrekeyMapV4" });
