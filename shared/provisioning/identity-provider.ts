import * as z from "zod";
import type { NameId, SamlIdentity } from "#shared/accounts/provisioned-identity.ts";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";

/** The service provider as an identity provider sees it: one for all teams (`v1`), or one per team (`v2`). */
export const samlApiVersion = z.enum(["v1", "v2"]);
export type SamlApiVersion = z.infer<typeof samlApiVersion>;

/** Attributes that contain the name of a person; absent: the usual ones. */
const attributeMapping = storedObject({ name: z.string().optional(), email: z.string().optional() });
export type AttributeMapping = z.output<typeof attributeMapping>;

/** A company's identity provider, as stored. */
export const identityProvider = storedItem(
  {
    table: "provisioning",
    kind: "identity-provider",
    key: ["idp#*", "provider"],
    subject: { team: ["teamId"] },
  },
  storedObject({
    id: z.uuid(),
    teamId: z.uuid(),
    /** Increases with each change; a change names the revision that it is based on. */
    revision: z.int(),
    apiVersion: samlApiVersion,
    /** Entity id (SAML metadata 2.3.2). */
    issuer: z.string(),
    /** Where browsers post requests to. */
    requestUri: z.string(),
    /** Certificates of the signing keys (DER in base64). */
    certificates: z.array(z.string()).min(1),
    /** Earlier issuers, newest first: users known under them move to the present one when they log in. */
    oldIssuers: z.array(z.string()),
    /** The identity provider that replaces this one, through which then only known users can log in. */
    replacedBy: z.uuid().optional(),
    /** Display name for admins. */
    handle: z.string(),
    /** Host of the service provider to which it is bound. */
    domain: z.string().optional(),
    /** How names and addresses of accounts are read from attributes; absent: they are not. */
    attributes: attributeMapping.optional(),
    /** Unix milliseconds. */
    createdAt: z.int(),
    /** Number of references ever made to it; see `IdentityProviderStore.addReference`. */
    referenceCount: z.int().optional(),
  }),
);
export type IdentityProvider = Stored<typeof identityProvider>;

/** The identity of a user whom a provider names. */
export const identityAt = (
  { apiVersion, issuer, teamId }: Pick<IdentityProvider, "apiVersion" | "issuer" | "teamId">,
  nameId: NameId,
): SamlIdentity => ({ issuer, nameId, ...(apiVersion === "v2" && { teamId }) });
