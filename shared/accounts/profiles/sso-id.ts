import * as z from "zod";
import type { Account } from "../account.ts";
import type { NameId, SamlIdentity } from "../provisioned-identity.ts";

/** The identity of a user in the company (published schema `UserSSOId`): in single sign-on, or only in provisioning. */
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

/** Shows the identity of a user in the company. */
export function toSsoId({
  samlIdentity,
  scim,
}: Pick<Account, "samlIdentity" | "scim">): z.input<typeof ssoId> | undefined {
  if (samlIdentity !== undefined) return toXml(samlIdentity);
  return scim && { scim_external_id: scim.externalId };
}

/** Matches the elements however they are written: with a prefix, more namespaces, and character references. */
const elementPattern =
  /^<(?:[\w-]+:)?(\w+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*>([^<]*)<\/[^<>]*>$/;
const attributePattern = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** Reads a SAML identity as `toSsoId` shows it; undefined for other texts. */
export function parseSamlIdentity(tenant: string, subject: string): SamlIdentity | undefined {
  const [issuer, name] = [readElement("Issuer", tenant), readElement("NameID", subject)];
  if (issuer === undefined || name === undefined) return undefined;
  const { Format, NameQualifier, SPNameQualifier, SPProvidedID } = name.attributes;
  return {
    issuer: issuer.text,
    nameId: {
      text: name.text,
      format: Format,
      nameQualifier: NameQualifier,
      spNameQualifier: SPNameQualifier,
      spProvidedId: SPProvidedID,
    },
  };
}

function readElement(
  name: string,
  xml: string,
): { text: string; attributes: Partial<Record<string, string>> } | undefined {
  const [, found, attributes = "", content = ""] = elementPattern.exec(xml.trim()) ?? [];
  const text = unescapeXml(content).trim();
  if (found !== name || text === "") return undefined;
  const pairs = [...attributes.matchAll(attributePattern)];
  return {
    text,
    attributes: Object.fromEntries(
      pairs.map(([, key, inDouble, inSingle]) => [key, unescapeXml(inDouble ?? inSingle ?? "")]),
    ),
  };
}

const entities: Readonly<Partial<Record<string, string>>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
};

const unescapeXml = (text: string) =>
  text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));/gi, (reference, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? reference;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : reference;
  });

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
