import * as z from "zod";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { queryFlag, uuid } from "#shared/platform/http/wire-types.ts";
import { samlApiVersion } from "#shared/provisioning/identity-provider.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { featureStatus } from "#shared/registry/feature-configs.ts";

const idpId = uuid.meta({ description: "Id of the identity provider, which is its login code" });

const idpPath = z.object({ id: idpId });
const teamPath = z.object({ team: uuid.meta({ description: "Id of the team" }) });

const handle = z
  .string()
  .min(1)
  .max(32)
  .meta({ description: "Display name for admins; by default `IdP 1`, `IdP 2`, …" });

const creationQuery = z.object({
  replaces: uuid
    .optional()
    .meta({ description: "Identity provider whose users move to this one when they next log in by it" }),
  api_version: samlApiVersion.default("v1").meta({
    description:
      "The service provider as the identity provider sees it: `v1` is one for all teams, `v2` one per " +
      "team, so that teams may share an issuer",
  }),
  handle: handle.optional(),
});

const updateQuery = z.object({
  handle: handle.optional().meta({ description: "Display name for admins; absent: unchanged" }),
});

const deletionQuery = z.object({
  purge: queryFlag.default(false).meta({ description: "Whether its users are deleted with it" }),
});

const metadataInfo = z.object({
  value: z.string().default("").meta({ description: "The metadata, as XML" }),
});

/** The text of the metadata; a body without it is passed on and then refused as metadata. */
export const metadataBody = z
  .preprocess((body) => toMetadataInfo(String(body ?? "")), metadataInfo)
  .meta({
    id: "IdPMetadataInfo",
    examples: [{ value: '<EntityDescriptor entityID="https://idp.example"/>' }],
  });

function toMetadataInfo(body: string): z.output<typeof metadataInfo> {
  if (!body.trimStart().startsWith("{")) return { value: body };
  try {
    return metadataInfo.parse(JSON.parse(body));
  } catch {
    return { value: body };
  }
}

const metadata = z
  .object({
    issuer: z.string().meta({ description: "Entity id" }),
    requestURI: z.string().meta({ description: "Where browsers post requests to" }),
    certAuthnResponse: z
      .array(z.string())
      .min(1)
      .meta({ description: "Certificates of the signing keys, as `KeyInfo` elements" }),
  })
  .meta({ id: "IdPMetadata" });

const extraInfo = z
  .object({
    team: uuid,
    apiVersion: z
      .string()
      .meta({ description: "`<Vendor>IdPAPIV1` or `<Vendor>IdPAPIV2`, with the vendor word of the server" }),
    oldIssuers: z.array(z.string()).meta({ description: "Issuers that it had or replaces, newest first" }),
    replacedBy: uuid.nullable().meta({ description: "The identity provider that replaces it, or null" }),
    handle: z.string(),
    domain: z.string().nullable().meta({
      description: "Host on which it was registered, if the service answers on several; otherwise null",
    }),
  })
  .meta({ id: "IdPExtraInfo" });

export const provider = z.object({ id: idpId, metadata, extraInfo }).meta({ id: "IdPConfig" });
const providerList = z
  .object({ providers: z.array(provider) })
  .meta({ id: "IdPList", description: "Oldest first" });

const attributeName = z.string().min(1).max(256).optional();

export const attributes = z
  .object({
    status: featureStatus,
    name: attributeName.meta({
      description: "`Name` or `FriendlyName` of the attribute with the name; absent: the usual ones",
    }),
    email: attributeName.meta({
      description: "That of the attribute with the address; absent: the usual ones",
    }),
  })
  .meta({
    id: "IdPAttributes",
    description:
      "Whether logins take names and addresses of accounts from attributes, and from which; `disabled` for a new provider",
    examples: [{ status: "enabled", name: "displayName" }],
  });

const actingUser = uuid.optional().meta({ description: "The admin who did it, if known" });

/** A real key, so that the examples work as they are. */
const exampleKeyInfo = [
  '<KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>',
  "MIICtTCCAZ0CFCqmHLggwLG/QI1TaeuvQ81EBm8hMA0GCSqGSIb3DQEBCwUAMBYxFDASBgNVBAMMC2lkcC5leGFtcGxlMCAXDTI2MTEyMjE3",
  "MDMxOFoYDzIxMjYxMDI5MTcwMzE4WjAWMRQwEgYDVQQDDAtpZHAuZXhhbXBsZTCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAMqc",
  "Jl425owKecS7yZe2w3P1CmpABFXmB9fHzgnSfWXidRwfP5Jhonng2VpcxfBmOREX2oa5ozJv0FhqbAdcXka0T0nUjCjYNgAFLhcMpZ58vjbC",
  "pud5HDGzIiW24nkyqurBmTBhJIkq6LsM2fR14TACBvLqmdvNygDYHdBUuz2OGgSuTNkWViYheBUQrAJZLcQwSerjLwrZ3d8h9k0CaxjWEJ7z",
  "DCFOBLB9n3A75ex3tFr7RZYgEy5fLqoN5UtciiSC2dVYvKSdg02qJgVs61gWIfGspWVomae1jb/zhmAEEnNsp/izMeFE5cKhJcj5M9aRc50x",
  "aLaiN4D7zs7yEE0CAwEAATANBgkqhkiG9w0BAQsFAAOCAQEAnj5m5TC0Yf+tBkMPy3UCH3cpX4eLiusvixiM/+BCJ9h5t8t9bkIU8uzBvKir",
  "ClvzjaKZgCi1YV3AwGVuGtFeNEqBYJQbUczZUbFObKu1eUU91OgOs1fpkBaftb/WyRddCl4fffkcC2uGz5gnaWyU9QFlSerGtNgiQ71iASNO",
  "m9igtcxpfanonuCB1NbFvCt+D0zSor/umDcMXRLZb13huIKb3DVqWAKYhVbvbdzcATrArhF39+u5TsLYxqGdDrmv+tl10HbMtOnbbM4hBHKc",
  "KARIzTs9d59MSM3B0x4YmNFF71HEGjMUfheYPL1e5heGkXg7bYEEVkeAnI99gqU2Fg==",
  "</X509Certificate></X509Data></KeyInfo>",
].join("");

/** A change of an identity provider. */
export const providerChange = z
  .discriminatedUnion("tag", [
    z.object({ tag: z.enum(["created", "deleted"]), value: z.object({ user: actingUser, idp: provider }) }),
    z.object({
      tag: z.literal("updated"),
      value: z.object({ user: actingUser, old: provider, new: provider }),
    }),
  ])
  .meta({
    id: "IdPChange",
    examples: [
      {
        tag: "deleted",
        value: {
          user: "5c9d1f9a-7b52-4d0c-8d0b-1f2e3d4c5b6a",
          idp: {
            id: "0b5a4f8e-6f0c-4c5e-9d6f-3f1a2b4c5d6e",
            metadata: {
              issuer: "https://idp.example/metadata",
              requestURI: "https://idp.example/login",
              certAuthnResponse: [exampleKeyInfo],
            },
            extraInfo: {
              team: "1d2c3b4a-7b52-4d0c-8d0b-1f2e3d4c5b6a",
              apiVersion: "SvcIdPAPIV2",
              oldIssuers: [],
              replacedBy: null,
              handle: "IdP 1",
              domain: null,
            },
          },
        },
      },
    ],
  });

const byId = {
  path: "/identity-providers/{id}",
  auth: "user",
  withoutUser: "insufficient-permissions",
  params: idpPath,
} as const satisfies Partial<Route>;

const ofTeam = {
  path: "/identity-providers",
  auth: "user",
  withoutUser: "user-missing",
} as const satisfies Partial<Route>;

const upload = {
  body: metadataBody,
  bodyFormat: "xml-or-json",
  // JSON takes more bytes than the XML in it, and UTF-16 twice as many.
  bodyLimit: 512 * 1024,
} as const satisfies Partial<Route>;

const uploadErrors = [
  "insufficient-permissions",
  "invalid-metadata",
  "sso-disabled",
  "idp-duplicate-domain-for-team",
  "idp-must-be-https",
  "cannot-mix-idp-api-versions",
] as const;

export const routes = defineRoutes({
  "idp-get-all": {
    ...ofTeam,
    method: "GET",
    summary: "List the identity providers of your team",
    responses: { 200: providerList },
    errors: ["not-a-team-member", "insufficient-permissions"],
  },
  "idp-get": {
    ...byId,
    method: "GET",
    summary: "Get an identity provider of your team",
    responses: { 200: provider },
    errors: ["not-found", "insufficient-permissions"],
  },
  "idp-get-raw": {
    ...byId,
    method: "GET",
    path: "/identity-providers/{id}/raw",
    summary: "Get the metadata of an identity provider, as it was uploaded",
    responses: { 200: { contentType: "application/xml" } },
    errors: ["not-found", "insufficient-permissions"],
  },
  "idp-create": {
    ...ofTeam,
    ...upload,
    method: "POST",
    audit: "identity-provider.created",
    summary: "Register an identity provider for your team",
    description:
      "From its metadata (SAML 2.0), which must have an endpoint with the binding HTTP-POST. Its keys have to be RSA keys " +
      "with certificates signed with RSA and SHA-256. In version 1, an issuer has one identity provider; in version 2, one in " +
      "each team.",
    query: creationQuery,
    responses: { 201: provider },
    errors: [...uploadErrors, "more-than-one-idp", "idp-limit-reached", "idp-already-in-use", "not-found"],
  },
  "idp-update": {
    ...byId,
    ...upload,
    method: "PUT",
    audit: "identity-provider.changed",
    summary: "Replace the metadata of an identity provider of your team",
    description:
      "The id, and with it the login code, stays. Keys missing from the metadata are no longer accepted. " +
      "If the issuer changes, users move to it when they next log in, and the former issuer becomes free " +
      "for others.",
    query: updateQuery,
    responses: { 200: provider },
    errors: [...uploadErrors, "idp-issuer-in-use", "not-found"],
  },
  "idp-get-attributes": {
    ...byId,
    method: "GET",
    path: "/identity-providers/{id}/attributes",
    summary: "Get how logins by an identity provider of your team read names and addresses",
    responses: { 200: attributes },
    errors: ["not-found", "insufficient-permissions"],
  },
  "idp-put-attributes": {
    ...byId,
    method: "PUT",
    path: "/identity-providers/{id}/attributes",
    audit: "identity-provider.changed",
    summary: "Choose how logins by an identity provider of your team read names and addresses",
    description:
      "From attributes of the assertion, when an account is created and when one still lacks them: people keep names and " +
      "addresses that they have chosen. Nothing changes in accounts that a directory manages.",
    body: attributes,
    responses: { 200: attributes },
    errors: ["not-found", "insufficient-permissions"],
  },
  "idp-delete": {
    ...byId,
    method: "DELETE",
    audit: "identity-provider.deleted",
    summary: "Remove an identity provider of your team",
    description:
      "Also removes its SCIM tokens and, with `purge`, the accounts of its users. In a large team, " +
      "accounts are still being deleted after the answer, and the issuer stays in use until that is done. " +
      "The last owner of the team stays.",
    query: deletionQuery,
    responses: { 204: null },
    errors: ["not-found", "insufficient-permissions", "cannot-delete-own-idp", "idp-has-bound-users"],
  },
  "i-get-identity-providers": {
    method: "GET",
    path: "/i/identity-providers/{team}",
    auth: "internal",
    summary: "List the identity providers of a team",
    params: teamPath,
    responses: { 200: providerList },
    errors: [],
  },
  "i-send-idp-changed-email": {
    method: "POST",
    audit: unaudited.preparation,
    path: "/i/idp/send-idp-changed-email",
    auth: "internal",
    summary: "Tell the admins of a team that an identity provider has changed",
    description:
      "By mail to those who have an address. Where the service answers on several hosts, it does this by " +
      "itself.",
    body: providerChange,
    bodyLimit: 256 * 1024,
    responses: { 200: null },
    errors: ["invalid-metadata"],
  },
});
