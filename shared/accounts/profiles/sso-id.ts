import * as z from "zod";
import type { Account } from "../account.ts";
import type { NameId, SamlIdentity } from "../provisioned-identity.ts";

/** What the company calls a user (published schema `UserSSOId`): by single sign-on, or by provisioning alone. */
export const ssoId = z
  .object({
    tenant: z.string().optional().meta({ description: "`Issuer` element of SAML, as XML" }),
    subject: z.string().optional().meta({ description: "`NameID` element of SAML, as XML" }),
    scim_external_id: z
      .string()
      .optional()
      .meta({ description: "Id in the directory, for a user who has no SAML identity" }),
  })
  .meta({ id: "UserSSOId" });

/** Shows what the company calls a user. */
export function toSsoId({
  samlIdentity,
  scim,
}: Pick<Account, "samlIdentity" | "scim">): z.input<typeof ssoId> | undefined {
  if (samlIdentity !== undefined) return toXml(samlIdentity);
  return scim && { scim_external_id: scim.externalId };
}

const toXml = ({ issuer, nameId }: SamlIdentity) => ({
  tenant: element("Issuer", {}, issuer),
  subject: element("NameID", attributesOf(nameId), nameId.text),
});

const attributesOf = ({ format, nameQualifier, spNameQualifier, spProvidedId }: NameId) => ({
  Format: format,
  NameQualifier: nameQualifier,
  SPNameQualifier: spNameQualifier,
  SPProvidedID: spProvidedId,
});

function element(name: string, attributes: Record<string, string | undefined>, text: string): string {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escapeXml(value)}"`],
  );
  const namespace = 'xmlns="urn:oasis:names:tc:SAML:2.0:assertion"';
  return `<${name} ${namespace}${written.join("")}>${escapeXml(text)}</${name}>`;
}

const escapeXml = (text: string) =>
  text.replaceAll(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
