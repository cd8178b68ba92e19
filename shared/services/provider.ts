import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";

/** A provider of services as stored: a separate kind of account, in a separate name space. */
export const providerItem = storedItem(
  {
    table: "services",
    kind: "provider",
    key: ["provider#*", "provider"],
    subject: { nobody: "a provider, who is no user" },
  },
  storedObject({
    providerId: z.uuid(),
    /** Increases with each change; a change names the revision that it is based on. */
    revision: z.int(),
    name: z.string(),
    /** As entered; present exactly while the provider holds the claim on it, from its activation on. */
    email: z.string().optional(),
    /** Key under which the address is claimed: equal for all its spellings. */
    emailKey: z.string().optional(),
    url: z.string(),
    description: z.string(),
    passwordHash: z.string(),
    /** Unix milliseconds. */
    createdAt: z.int(),
    /** Whether it and its services are being removed, so that it counts as unknown. */
    isBeingDeleted: z.literal(true).optional(),
    /** Unix seconds at which it expires; only until its activation. */
    purgeAtSeconds: z.int().optional(),
  }),
);
export type Provider = Stored<typeof providerItem>;

/** A provider that has been activated. */
export type ActiveProvider = Provider & { readonly email: string; readonly emailKey: string };

/** Whether a provider has confirmed an address, without which it can do nothing. */
export const isActive = (provider: Provider | undefined): provider is ActiveProvider =>
  provider?.email !== undefined && provider.emailKey !== undefined;

/** A provider's claim on its address. */
export const providerClaimItem = storedItem(
  {
    table: "services",
    kind: "provider-claim",
    key: ["provider-email#*", "claim"],
    subject: { nobody: "a provider, who is no user" },
  },
  storedObject({ providerId: z.uuid() }),
);

/** Seconds for which the codes of providers are valid. */
export const providerCodeLifetimes = { activation: 86_400, passwordReset: 3600 };
