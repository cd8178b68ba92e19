import type { NameId } from "#shared/accounts/provisioned-identity.ts";
import { countCharacters } from "#shared/platform/count-characters.ts";
import { parseEmailAddress } from "#shared/platform/email-address.ts";
import { XmlError } from "../../check-markup.ts";

export const unspecifiedFormat = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified";
const emailFormat = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";

/** Longest name in the formats that limit it (SAML core 8.3.6, 8.3.7); applied to all. */
const maxLength = 1024;

const anything = () => true;

/**
 * The form of an address (RFC 2822 §3.4.1), which may be quoted or within an intranet. It names somebody even if no mail can
 * be sent to it.
 */
const isAddressSpec = (text: string) => /^[^\p{Cc}]+@[^@\s\p{Cc}]+$/u.test(text);

/** The shape of a name by its format (SAML core 8.3). Other formats, encrypted names among them, are refused. */
const rules: Readonly<Record<string, (nameId: NameId) => boolean>> = {
  [unspecifiedFormat]: anything,
  [emailFormat]: ({ text }) => isAddressSpec(text),
  "urn:oasis:names:tc:SAML:1.1:nameid-format:X509SubjectName": anything,
  "urn:oasis:names:tc:SAML:1.1:nameid-format:WindowsDomainQualifiedName": anything,
  "urn:oasis:names:tc:SAML:2.0:nameid-format:kerberos": anything,
  "urn:oasis:names:tc:SAML:2.0:nameid-format:entity": ({ text, ...qualifiers }) =>
    URL.canParse(text) &&
    [qualifiers.nameQualifier, qualifiers.spNameQualifier, qualifiers.spProvidedId].every(
      (qualifier) => qualifier === undefined,
    ),
  "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent": anything,
  "urn:oasis:names:tc:SAML:2.0:nameid-format:transient": anything,
};

/** @throws XmlError unless the format allows the name */
export function checkNameId(nameId: NameId): void {
  const { text, format = unspecifiedFormat } = nameId;
  if (text === "" || countCharacters(text) > maxLength) throw new XmlError("an empty or too long NameID");
  const qualifiers = [nameId.nameQualifier, nameId.spNameQualifier, nameId.spProvidedId];
  if (qualifiers.some((qualifier = "") => countCharacters(qualifier) > maxLength))
    throw new XmlError("a long qualifier");
  const rule = Object.hasOwn(rules, format) ? rules[format] : undefined;
  if (rule?.(nameId) !== true)
    throw new XmlError("a NameID of an unknown format, or one that does not fit its format");
}

/** The name as an email address, if its format is that of one and mail can be sent to it. */
export const emailOf = ({ text, format }: NameId): string | undefined =>
  format === emailFormat ? parseEmailAddress(text)?.value : undefined;
