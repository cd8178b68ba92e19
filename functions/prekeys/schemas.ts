import * as z from "zod";
import { deviceClass } from "#shared/data/device/device.ts";
import { prekeyItem } from "#shared/data/device/prekey.ts";
import * as primitives from "#shared/schemas/primitives.ts";

const clientId = z.string().min(1).max(64);

export const userPath = z.object({ uid_domain: z.string(), uid: primitives.uuid });
export const devicePath = userPath.extend({ client: clientId });

/** Before users had domains. */
export const unqualifiedUserPath = userPath.omit({ uid_domain: true });
export const unqualifiedDevicePath = devicePath.omit({ uid_domain: true });

/** All that others learn about a device. */
export const pubClient = z
  .object({ id: z.string(), class: deviceClass.optional() })
  .meta({ id: "PubClient" });
export const pubClientList = z.array(pubClient);

const qualifiedUsers = z.array(primitives.qualifiedId).min(1).max(500);
export const listClients = z.object({ qualified_users: qualifiedUsers }).meta({ id: "ListClients" });
export const listClientsBare = qualifiedUsers;

const clientsByUser = z.record(z.uuid(), pubClientList);
/** By domain and user. */
export const qualifiedUserMap = z.record(z.string(), clientsByUser);
export const wrappedUserMap = z
  .object({ qualified_user_map: qualifiedUserMap })
  .meta({ id: "QualifiedUserMap" });

export const clientPrekey = z.object({ client: z.string(), prekey: prekeyItem }).meta({ id: "ClientPrekey" });
export const prekeyBundle = z
  .object({ user: z.uuid(), clients: z.array(clientPrekey) })
  .meta({ id: "PrekeyBundle" });

/** Client ids by user. */
export const userClients = z.record(primitives.uuid, z.array(clientId)).meta({ id: "UserClients" });
/** By domain, too. */
export const qualifiedUserClients = z.record(z.string(), userClients).meta({ id: "QualifiedUserClients" });

/** By user and device; null for a device that has none, because it is gone. */
export const userClientPrekeys = z
  .record(z.uuid(), z.record(z.string(), prekeyItem.nullable()))
  .meta({ id: "UserClientPrekeyMap" });
export const qualifiedUserClientPrekeys = z.record(z.string(), userClientPrekeys);
export const wrappedUserClientPrekeys = z
  .object({
    qualified_user_client_prekeys: qualifiedUserClientPrekeys,
    failed_to_list: z.array(primitives.qualifiedId).optional(),
  })
  .meta({ id: "QualifiedUserClientPrekeyMapV4" });
