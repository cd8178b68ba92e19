import * as z from "zod";
import { storedAsset } from "#shared/accounts/account.ts";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { serviceTag } from "./service-tags.ts";

/** A public key of a service, which it proves in a TLS handshake. */
const serviceKey = storedObject({
  /** PEM, as the provider has sent it. */
  pem: z.string(),
  bits: z.int(),
  /** See `rsaFingerprint`. */
  fingerprint: z.string(),
});

/** A service as stored: providers offer it, and conversations get it as a bot. */
export const serviceItem = storedItem(
  {
    table: "services",
    kind: "service",
    key: ["provider#*", "service#*"],
    subject: { nobody: "a provider, who is no user" },
  },
  storedObject({
    providerId: z.uuid(),
    serviceId: z.uuid(),
    /** Increases with each change; a change names the revision that it is based on. */
    revision: z.int(),
    name: z.string(),
    summary: z.string(),
    description: z.string(),
    assets: z.array(storedAsset),
    tags: z.array(serviceTag),
    isEnabled: z.boolean(),
    /** HTTPS; paths of calls are appended to it. */
    baseUrl: z.string(),
    /** Any of them is accepted. */
    keys: z.array(serviceKey).min(1),
    /** Bearer tokens by which the service recognises this backend; calls carry the first. */
    authTokens: z.array(z.string()).min(1),
    /** Whether it and its bots are being removed, so that it counts as unknown. */
    isBeingDeleted: z.literal(true).optional(),
  }),
);
export type Service = Stored<typeof serviceItem>;

/** Identifies a service. */
export type ServiceId = Pick<Service, "providerId" | "serviceId">;
