import * as z from "zod";

/** Form of the service provider that an identity provider knows: one for all teams (`v1`), or one for each (`v2`). */
export const samlApiVersion = z.enum(["v1", "v2"]);
export type SamlApiVersion = z.infer<typeof samlApiVersion>;

/** A company's identity provider as it is stored (interface section 2.9). */
export const identityProvider = z.object({
  id: z.uuid(),
  teamId: z.uuid(),
  /** Grows with each change; a change names the revision that it is based on. */
  revision: z.int(),
  apiVersion: samlApiVersion,
  /** Entity id (SAML metadata 2.3.2). */
  issuer: z.string(),
  /** Where browsers post requests to. */
  requestUri: z.string(),
  /** Certificates (DER in base64) of the keys that sign. */
  certificates: z.array(z.string()).min(1),
  /** Earlier issuers, newest first: users known under them move to the present one when they log in. */
  oldIssuers: z.array(z.string()),
  /** The identity provider that replaces this one, which then only users log in by whom it knows already. */
  replacedBy: z.uuid().optional(),
  /** The name that admins see. */
  handle: z.string(),
  /** Host of the service provider that it is bound to. */
  domain: z.string().optional(),
  /** Unix milliseconds. */
  createdAt: z.int(),
  /** How many references to it have been made; see `IdentityProviderStore.addReference`. */
  referenceCount: z.int().optional(),
});
export type IdentityProvider = z.infer<typeof identityProvider>;
