import type * as z from "zod";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type * as schemas from "./schemas.ts";

/** Shows an identity provider as the published schema `IdPConfig` has it. */
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

/** Writes a certificate in base64 as XML-DSig has it (section 4.5.4). */
const toKeyInfo = (certificate: string): string =>
  `<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${certificate}` +
  "</ds:X509Certificate></ds:X509Data></ds:KeyInfo>";
