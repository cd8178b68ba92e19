import { describe, expect, it } from "vitest";
import { parseXml } from "../../parse-xml.ts";
import { describePerson, readAttributes } from "./attributes.ts";

const namespace = "urn:oasis:names:tc:SAML:2.0:assertion";
const claims = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims";

const attribute = (name: string, value: string, friendlyName?: string) =>
  `<Attribute Name="${name}"${friendlyName === undefined ? "" : ` FriendlyName="${friendlyName}"`}><AttributeValue>${value}</AttributeValue></Attribute>`;

const said = (content: string, mapping = {}) => {
  const xml = `<Assertion xmlns="${namespace}"><AttributeStatement>${content}</AttributeStatement></Assertion>`;
  return describePerson(readAttributes(parseXml(xml, { maxLength: 100_000 })), mapping);
};

describe("the usual names of attributes", () => {
  const ada = { name: "Ada Lovelace", email: "ada@engines.example" };

  it.each([
    [
      "words of LDAP",
      [
        ["displayName", ada.name],
        ["mail", ada.email],
      ],
    ],
    [
      "what admins enter by hand",
      [
        ["firstName", "Ada"],
        ["lastName", "Lovelace"],
        ["email", ada.email],
      ],
    ],
    [
      "claims of WS-Federation, where `name` is that of the login",
      [
        ["http://schemas.microsoft.com/identity/claims/displayname", ada.name],
        [`${claims}/givenname`, "Augusta"],
        [`${claims}/emailaddress`, ada.email],
        [`${claims}/name`, "ada.1815@engines.example"],
      ],
    ],
    [
      "parts of a name in claims",
      [
        [`${claims}/surname`, "Lovelace"],
        [`${claims}/givenname`, "Ada"],
        [`${claims}/emailaddress`, ada.email],
      ],
    ],
    [
      "object identifiers",
      [
        ["urn:oid:2.5.4.42", "Ada"],
        ["urn:oid:2.5.4.4", "Lovelace"],
        ["urn:oid:1.2.840.113549.1.9.1", ada.email],
      ],
    ],
    [
      "a common name, in other letters",
      [
        ["CN", ada.name],
        ["EMAILADDRESS", ada.email],
      ],
    ],
  ] as const)("are known: %s", (_, sent) => {
    expect(said(sent.map(([name, value]) => attribute(name, value)).join(""))).toEqual(ada);
  });

  it("may be friendly names", () => {
    expect(said(attribute("urn:example:1", "Ada", "givenName"))).toEqual({ name: "Ada" });
  });
});

describe("a mapping", () => {
  it("replaces the usual names, separately for name and address", () => {
    const content =
      attribute("displayName", "Ada") + attribute("nick", "AL") + attribute("mail", "a@b.example");
    expect(said(content, { name: " NICK " })).toEqual({ name: "AL", email: "a@b.example" });
    expect(said(content, { name: "missing", email: "missing" })).toEqual({});
  });
});

describe("a value", () => {
  it.each([
    [
      "an empty one, before another",
      `<Attribute Name="cn"><AttributeValue/><AttributeValue>Ada</AttributeValue></Attribute>`,
      { name: "Ada" },
    ],
    ["with white space", attribute("cn", "  Ada \n Lovelace\t"), { name: "Ada Lovelace" }],
    ["with elements", attribute("cn", "<b>Ada</b>"), {}],
    ["too long for a name", attribute("cn", "a".repeat(129)), {}],
    ["no address", attribute("mail", "nobody"), {}],
    ["of an attribute without a name", `<Attribute><AttributeValue>Ada</AttributeValue></Attribute>`, {}],
    ["encrypted", `<EncryptedAttribute/>`, {}],
  ])("is read if it is plain text: %s", (_, content, expected) => {
    expect(said(content)).toEqual(expected);
  });
});
