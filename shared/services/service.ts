import * as z from "zod";
import { storedAsset } from "#shared/accounts/account.ts";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";

/** Tags under which a service can be listed, in the order in which clients show them. */
export const serviceTag = z
  .enum([
    "audio",
    "books",
    "business",
    "design",
    "education",
    "entertainment",
    "finance",
    "fitness",
    "food-drink",
    "games",
    "graphics",
    "health",
    "integration",
    "lifestyle",
    "media",
    "medical",
    "movies",
    "music",
    "news",
    "photography",
    "poll",
    "productivity",
    "quiz",
    "rating",
    "shopping",
    "social",
    "sports",
    "travel",
    "tutorial",
    "video",
    "weather",
  ])
  .meta({ id: "ServiceTag" });
export type ServiceTag = z.infer<typeof serviceTag>;

/** Maximum number of tags of a service, of a conjunction, and of alternatives in a search. */
export const maxTags = 3;

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

/** The provider has reached its limit of services, or the team its limit of services on its list. */
export class TooManyServicesError extends Error {
  override readonly name = "TooManyServicesError";
}

/** There is no such service, or it is being deleted. */
export class ServiceNotFoundError extends Error {
  override readonly name = "ServiceNotFoundError";
}
