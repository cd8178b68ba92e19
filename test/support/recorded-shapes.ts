import { readFileSync } from "node:fs";
import type { ResponseFields, ResponseOptions, SigningKey } from "./saml.ts";
import { certificateText, samlNames } from "./saml.ts";

/**
 * Metadata, assertions and requests in the shapes of widespread identity providers and directories, with names and
 * values of the tests. Each shape has what the products add to the least that the standards ask for.
 */

/** An identity provider as its metadata and its responses look. */
export interface ProviderShape {
  readonly name: string;
  metadata(issuer: string, key: SigningKey): string;
  readonly fields?: Partial<ResponseFields>;
  readonly options?: (key: SigningKey) => ResponseOptions;
}

const md = "urn:oasis:names:tc:SAML:2.0:metadata";
const ds = "http://www.w3.org/2000/09/xmldsig#";
const recordedMetadata = readFileSync(new URL("recorded/keycloak/metadata.xml", import.meta.url), "utf8");

const keyInfo = (key: SigningKey, { wrap = (text: string) => text } = {}) =>
  `<ds:KeyInfo xmlns:ds="${ds}"><ds:X509Data><ds:X509Certificate>${wrap(certificateText(key))}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`;
const linesOf64 = (text: string) => `\n${text.replaceAll(/.{64}/g, "$&\n")}\n`;
const statement = (name: string, value: string) =>
  `<saml:AttributeStatement><saml:Attribute Name="${name}" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:unspecified"><saml:AttributeValue xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">${value}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>`;

export const providerShapes: readonly ProviderShape[] = [
  {
    name: "provider A: certificate in lines, both parts signed, attributes with types",
    metadata: (issuer, key) =>
      `<?xml version="1.0" encoding="UTF-8"?><md:EntityDescriptor entityID="${issuer}" xmlns:md="${md}"><md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="${samlNames.protocol}"><md:KeyDescriptor use="signing">${keyInfo(key, { wrap: linesOf64 })}</md:KeyDescriptor><md:NameIDFormat>${samlNames.email}</md:NameIDFormat><md:NameIDFormat>${samlNames.unspecified}</md:NameIDFormat><md:SingleSignOnService Binding="${samlNames.post}" Location="https://a.example.com/app/1/sso/saml"/><md:SingleSignOnService Binding="${samlNames.redirect}" Location="https://a.example.com/app/1/sso/saml"/></md:IDPSSODescriptor></md:EntityDescriptor>`,
    fields: { moreStatements: statement("firstName", "Ada") },
    options: ({ certificate }) => ({ signed: "both", certificate }),
  },
  {
    name: "provider B: signed metadata with further roles and claims, assertion of an hour",
    metadata: (issuer, key) =>
      `\uFEFF<?xml version="1.0" encoding="utf-8"?><EntityDescriptor ID="_1c2d" entityID="${issuer}" xmlns="${md}"><Signature xmlns="${ds}"><SignedInfo><CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/><SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/><Reference URI="#_1c2d"><DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><DigestValue>AA==</DigestValue></Reference></SignedInfo><SignatureValue>AA==</SignatureValue>${keyInfo(key)}</Signature><RoleDescriptor xsi:type="fed:SecurityTokenServiceType" protocolSupportEnumeration="http://docs.oasis-open.org/wsfed/federation/200706" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:fed="http://docs.oasis-open.org/wsfed/federation/200706"><KeyDescriptor use="signing">${keyInfo(key)}</KeyDescriptor><fed:ClaimTypesOffered><auth:ClaimType Uri="http://schemas.example.com/claims/name" xmlns:auth="http://docs.oasis-open.org/wsfed/authorization/200706"><auth:DisplayName>Name</auth:DisplayName></auth:ClaimType></fed:ClaimTypesOffered></RoleDescriptor><IDPSSODescriptor protocolSupportEnumeration="${samlNames.protocol}"><KeyDescriptor use="signing">${keyInfo(key)}</KeyDescriptor><SingleLogoutService Binding="${samlNames.redirect}" Location="https://b.example.com/1/saml2"/><SingleSignOnService Binding="${samlNames.redirect}" Location="https://b.example.com/1/saml2"/><SingleSignOnService Binding="${samlNames.post}" Location="https://b.example.com/1/saml2"/></IDPSSODescriptor></EntityDescriptor>`,
    fields: {
      notOnOrAfter: Date.now() + 65 * 60_000,
      confirmationNotOnOrAfter: Date.now() + 60 * 60_000,
      nameId: { text: `Ada.${crypto.randomUUID()}@Example.com`, format: samlNames.email },
      moreStatements: statement("http://schemas.example.com/identity/claims/tenantid", "1"),
    },
    options: ({ certificate }) => ({ certificate }),
  },
  {
    name: "provider C: metadata with an end and signing only requested for responses",
    metadata: (issuer, key) =>
      `<?xml version="1.0" encoding="UTF-8" standalone="no"?><md:EntityDescriptor xmlns:md="${md}" entityID="${issuer}" validUntil="2036-01-01T00:00:00.000Z"><md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="${samlNames.protocol}"><md:KeyDescriptor use="signing">${keyInfo(key, { wrap: linesOf64 })}</md:KeyDescriptor><md:NameIDFormat>${samlNames.email}</md:NameIDFormat><md:SingleSignOnService Binding="${samlNames.redirect}" Location="https://c.example.com/o/saml2/idp?idpid=1"/><md:SingleSignOnService Binding="${samlNames.post}" Location="https://c.example.com/o/saml2/idp?idpid=1"/></md:IDPSSODescriptor></md:EntityDescriptor>`,
    fields: { nameId: { text: `ada.${crypto.randomUUID()}@example.com`, format: samlNames.email } },
  },
  {
    name: "provider D: recorded metadata, names of keys, four bindings, a long session, a condition of one use, many roles",
    metadata: (issuer, key) =>
      recordedMetadata
        .replace(/entityID="[^"]*"/, `entityID="${issuer}"`)
        .replace(/(?<=X509Certificate>)[^<]+/, certificateText(key))
        .replaceAll("http://127.0.0.1:21280", "https://d.example.com"),
    fields: {
      nameId: { text: `G-${crypto.randomUUID()}`, format: samlNames.persistent },
      sessionNotOnOrAfter: Date.now() + 10 * 60 * 60_000,
      moreConditions: "<saml:OneTimeUse/>",
      moreStatements: ["offline_access", "view-profile"].map((role) => statement("Role", role)).join(""),
    },
    options: ({ certificate }) => ({ signed: "both", certificate }),
  },
];

const core = "urn:ietf:params:scim:schemas:core:2.0:User";
const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

interface NewPerson {
  readonly userName: string;
  readonly email: string;
  readonly externalId: string;
}

/** A directory as it creates users, and as it changes a user afterwards. */
export interface DirectoryShape {
  readonly name: string;
  create(person: NewPerson): object;
  /** Operations of one PATCH each, with what the user then is, or the error. */
  readonly patches: readonly (readonly [what: string, operations: readonly object[], outcome: object])[];
}

export const directoryShapes: readonly DirectoryShape[] = [
  {
    name: "directory A: no paths in operations",
    create: ({ userName, email, externalId }) => ({
      schemas: [core],
      userName,
      name: { givenName: "Ada", familyName: "Lovelace" },
      emails: [{ primary: true, value: email, type: "work" }],
      displayName: "Ada Lovelace",
      locale: "en-US",
      externalId,
      groups: [],
      active: true,
    }),
    patches: [
      ["deactivate", [{ op: "replace", value: { active: false } }], { active: false }],
      ["reactivate", [{ op: "replace", value: { active: true } }], { active: true }],
    ],
  },
  {
    name: "directory B: capital operations, booleans as texts, paths with filters",
    create: ({ userName, email, externalId }) => ({
      schemas: [core, enterprise],
      externalId,
      userName,
      active: true,
      displayName: "Ada Lovelace",
      emails: [{ primary: true, type: "work", value: email }],
      meta: { resourceType: "User" },
      name: { formatted: "Ada Lovelace", familyName: "Lovelace", givenName: "Ada" },
      roles: [],
      title: "Countess",
      [enterprise]: { department: "Engines" },
    }),
    patches: [
      ["rename by Add", [{ op: "Add", path: "displayName", value: "Ada King" }], { displayName: "Ada King" }],
      [
        "deactivate with a text",
        [{ op: "Replace", path: "active", value: "False" }],
        { active: false, displayName: "Ada King" },
      ],
      ["reactivate in a list", [{ op: "Add", path: "active", value: [{ value: "True" }] }], { active: true }],
      [
        "a role in a list of objects",
        [{ op: "Add", path: "roles", value: [{ value: "partner", type: "work", primary: "True" }] }],
        { roles: ["partner"] },
      ],
      [
        "deactivate",
        [{ op: "Replace", path: "active", value: false }],
        { active: false, roles: ["partner"] },
      ],
      [
        "two changes at once",
        [
          { op: "Replace", path: "displayName", value: "Ada Byron" },
          { op: "Replace", path: "active", value: true },
        ],
        { active: true, displayName: "Ada Byron" },
      ],
      [
        "a part of a name beside others, without a path",
        [{ op: "replace", value: { displayName: "Nobody", "name.givenName": "Ada" } }],
        { status: "400", scimType: "invalidPath", detail: "name.givenName: cannot be changed by a PATCH" },
      ],
      [
        "a role by a filter",
        [{ op: "Add", path: 'roles[primary eq "True"].value', value: "member" }],
        { status: "400", scimType: "invalidPath" },
      ],
      [
        "a manager who is gone",
        [{ op: "Remove", path: `${enterprise}:manager` }],
        { status: "400", scimType: "invalidPath" },
      ],
      [
        "an address that is gone",
        [{ op: "Remove", path: 'emails[type eq "work"]' }],
        { displayName: "Ada Byron" },
      ],
      [
        "an address by a filter",
        [{ op: "Replace", path: 'emails[type eq "work"].value', value: "else@example.com" }],
        { status: "400", scimType: "invalidPath" },
      ],
      [
        "an address beside a name, without a path",
        [{ op: "Add", value: { displayName: "Nobody", 'emails[type eq "work"].value': "else@example.com" } }],
        { status: "400", scimType: "invalidPath" },
      ],
      [
        "a foreign extension",
        [{ op: "Add", path: `${enterprise}:department`, value: "Sales" }],
        { status: "400", scimType: "invalidPath" },
      ],
    ],
  },
];
