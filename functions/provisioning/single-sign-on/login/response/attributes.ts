import { countCharacters } from "#shared/platform/count-characters.ts";
import { parseEmailAddress } from "#shared/platform/email-address.ts";
import type { AttributeMapping } from "#shared/provisioning/identity-provider.ts";
import { childElements, childrenNamed } from "../../parse-xml.ts";
import { namespaces } from "./names.ts";

/** Attributes of a person from an identity provider: the first value of each, by its names in lower case. */
export type Attributes = ReadonlyMap<string, string>;

/** The part of them that an account can have. */
export interface Description {
  readonly name?: string;
  /** Not validated yet. */
  readonly email?: string;
}

const maxValueLength = 1024;
const maxNameLength = 128;

const claims = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims";
/**
 * Default names of attributes at identity providers: those of LDAP, as words and as object identifiers (RFC 4519, RFC
 * 2798), claims of WS-Federation, and the names that admins are advised to enter.
 */
const usual = {
  name: [
    "displayname",
    "http://schemas.microsoft.com/identity/claims/displayname",
    "urn:oid:2.16.840.1.113730.3.1.241",
  ],
  givenName: [
    "givenname",
    "firstname",
    "first_name",
    "given_name",
    `${claims}/givenname`,
    "urn:oid:2.5.4.42",
  ],
  familyName: [
    "surname",
    "lastname",
    "last_name",
    "family_name",
    "sn",
    `${claims}/surname`,
    "urn:oid:2.5.4.4",
  ],
  commonName: ["cn", "urn:oid:2.5.4.3", "fullname", "full_name"],
  email: [
    "mail",
    "email",
    "emailaddress",
    "email_address",
    `${claims}/emailaddress`,
    "urn:oid:0.9.2342.19200300.100.1.3",
    "urn:oid:1.2.840.113549.1.9.1",
  ],
} as const;

/**
 * Read the attributes of an assertion. Values other than plain text are skipped, because providers may send anything.
 * @param assertion whose signature has been verified
 */
export function readAttributes(assertion: Element): Attributes {
  const found = new Map<string, string>();
  const statements = childrenNamed(assertion, namespaces.assertion, "AttributeStatement");
  for (const element of statements.flatMap((one) => childrenNamed(one, namespaces.assertion, "Attribute"))) {
    const [value] = childrenNamed(element, namespaces.assertion, "AttributeValue").flatMap(textOf);
    if (value === undefined) continue;
    for (const attribute of ["Name", "FriendlyName"]) {
      const name = element.getAttribute(attribute)?.trim().toLowerCase();
      if (name && !found.has(name)) found.set(name, value);
    }
  }
  return found;
}

function textOf(element: Element): string[] {
  const text = element.textContent?.replaceAll(/[\s\p{Cc}]+/gu, " ").trim() ?? "";
  const isPlain = childElements(element).length === 0 && text !== "" && text.length <= maxValueLength;
  return isPlain && text.isWellFormed() ? [text] : [];
}

/**
 * Find name and address of a person in the attributes.
 * @param mapping names of attributes to use instead of the usual ones
 */
export function describePerson(attributes: Attributes, mapping: AttributeMapping): Description {
  const firstOf = (names: readonly string[]) =>
    names.map((each) => attributes.get(each)).find((value) => value !== undefined);
  const mapped = (name: string) => attributes.get(name.trim().toLowerCase());
  const parts = [firstOf(usual.givenName), firstOf(usual.familyName)].filter((part) => part !== undefined);
  const usualName = () => firstOf(usual.name) ?? (parts.join(" ") || firstOf(usual.commonName));
  const name = mapping.name === undefined ? usualName() : mapped(mapping.name);
  const address = mapping.email === undefined ? firstOf(usual.email) : mapped(mapping.email);
  const email = address === undefined ? undefined : parseEmailAddress(address)?.value;
  return {
    ...(name !== undefined && countCharacters(name) <= maxNameLength && { name }),
    ...(email !== undefined && { email }),
  };
}
