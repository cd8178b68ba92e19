import * as z from "zod";
import { queryFlag, uuid } from "#shared/platform/http/wire-types.ts";
import { samlApiVersion } from "#shared/provisioning/identity-provider.ts";
import { featureStatus } from "#shared/registry/feature-configs.ts";

const idpId = uuid.meta({ description: "Id of the identity provider, which is its login code" });

export const idpPath = z.object({ id: idpId });
export const teamPath = z.object({ team: uuid.meta({ description: "Id of the team" }) });

const handle = z
  .string()
  .min(1)
  .max(32)
  .meta({ description: "Display name for admins; by default `IdP 1`, `IdP 2`, …" });

export const creationQuery = z.object({
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

export const updateQuery = z.object({
  handle: handle.optional().meta({ description: "Display name for admins; absent: unchanged" }),
});

export const deletionQuery = z.object({
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
export const providerList = z
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
