import type * as z from "zod";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Announced, ProviderChange } from "./announce-provider.ts";
import { parseKeyInfo } from "./parse-metadata.ts";
import type * as schemas from "./routes.ts";

/** Shows an identity provider as in the published schema `IdPConfig`. */
export const toProviderView = (
  { id, teamId, issuer, requestUri, certificates, apiVersion, ...provider }: IdentityProvider,
  { vendor }: Pick<Settings, "vendor">,
): z.input<typeof schemas.provider> => ({
  id,
  metadata: { issuer, requestURI: requestUri, certAuthnResponse: certificates.map(toKeyInfo) },
  extraInfo: {
    team: teamId,
    apiVersion: `${vendor.charAt(0).toUpperCase()}${vendor.slice(1)}IdPAPI${apiVersion.toUpperCase()}`,
    oldIssuers: provider.oldIssuers,
    replacedBy: provider.replacedBy ?? null,
    handle: provider.handle,
    domain: provider.domain ?? null,
  },
});

/** Shows how logins read names and addresses. */
export const toAttributesView = ({
  attributes,
}: Pick<IdentityProvider, "attributes">): z.input<typeof schemas.attributes> => ({
  status: attributes === undefined ? "disabled" : "enabled",
  name: attributes?.name,
  email: attributes?.email,
});

/** Writes a certificate in base64 as an element of XML-DSig (section 4.5.4). */
const toKeyInfo = (certificate: string): string =>
  `<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${certificate}` +
  "</ds:X509Certificate></ds:X509Data></ds:KeyInfo>";

/** @throws ApiError `invalid-metadata` for a malformed certificate */
export function toProviderChange({ tag, value }: z.output<typeof schemas.providerChange>): ProviderChange {
  const { user: userId } = value;
  if (tag === "updated") return { userId, before: fromView(value.old), after: fromView(value.new) };
  const provider = fromView(value.idp);
  return tag === "created" ? { userId, after: provider } : { userId, before: provider };
}

const fromView = ({ id, metadata, extraInfo }: z.output<typeof schemas.provider>): Announced => ({
  id,
  teamId: extraInfo.team,
  issuer: metadata.issuer,
  requestUri: metadata.requestURI,
  certificates: metadata.certAuthnResponse.map(parseKeyInfo),
});
