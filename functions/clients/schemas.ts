import * as z from "zod";
import { deviceCapability, deviceClass, deviceType } from "#shared/data/device/device.ts";
import { prekeyItem } from "#shared/data/device/prekey.ts";
import * as clientSchemas from "#shared/schemas/client.ts";
import * as primitives from "#shared/schemas/primitives.ts";

const text = z.string().max(1024);

/** What devices say about themselves. What the keys hold is looked at later: see `checkKeys`. */
const keys = {
  prekeys: z.array(prekeyItem),
  lastkey: prekeyItem,
  mls_public_keys: clientSchemas.mlsPublicKeys.optional(),
};
const capabilities = z.array(deviceCapability).optional();

export const newClient = z
  .object({
    ...keys,
    type: deviceType,
    class: deviceClass.optional(),
    label: text.optional(),
    model: text.optional(),
    cookie: primitives.cookieLabel.optional(),
    capabilities,
    password: primitives.password.optional(),
    verification_code: primitives.verificationCode.optional(),
  })
  .meta({ id: "NewClient" });
export type NewClient = z.output<typeof newClient>;

export const updateClient = z
  .object({
    prekeys: keys.prekeys.optional(),
    lastkey: keys.lastkey.optional(),
    mls_public_keys: keys.mls_public_keys,
    label: text.optional(),
    capabilities,
  })
  .meta({ id: "UpdateClient" });
export type UpdateClient = z.output<typeof updateClient>;

export const deleteClient = z
  .object({ password: primitives.password.optional() })
  .meta({ id: "DeleteClient" });

/** Ids of devices are hex; others than those that exist are answered alike. */
export const clientPath = z.object({
  client: z
    .string()
    .min(1)
    .max(64)
    .regex(/^[A-Za-z0-9-]*$/),
});

export const clientList = z.array(clientSchemas.client);
export const clientListWithNestedCapabilities = z.array(clientSchemas.clientWithNestedCapabilities);

export const prekeyIds = z.array(prekeyItem.shape.id);

export const dpopHeaders = z.object({ DPoP: z.string().min(1).max(8192) });

export const dpopAccessToken = z
  .object({
    token: z.string(),
    type: z.literal("DPoP"),
    expires_in: z.int().meta({ description: "Seconds that the token is valid from its issue" }),
  })
  .meta({ id: "DPoPAccessTokenResponse" });
