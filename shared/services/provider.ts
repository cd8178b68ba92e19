import * as z from "zod";

/** A provider of services as stored: an account of its own kind, in a name space of its own. */
export const providerItem = z.object({
  providerId: z.uuid(),
  /** Increases with each change; a change names the revision that it is based on. */
  revision: z.int(),
  name: z.string(),
  /** As entered; present exactly when the provider holds the claim on it, which is since its activation. */
  email: z.string().optional(),
  url: z.string(),
  description: z.string(),
  passwordHash: z.string(),
  /** Unix milliseconds. */
  createdAt: z.int(),
});
export type Provider = z.infer<typeof providerItem>;
