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
const attributeOf = (name: string, value: string, friendlyName?: string) =>
  `<saml:Attribute Name="${name}"${friendlyName === undefined ? "" : ` FriendlyName="${friendlyName}"`} NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:unspecified"><saml:AttributeValue xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">${value}</saml:AttributeValue></saml:Attribute>`;
const statement = (...attributes: readonly Parameters<typeof attributeOf>[]) =>
  `<saml:AttributeStatement>${attributes.map((each) => attributeOf(...each)).join("")}</saml:AttributeStatement>`;
const claims = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims";

export const providerShapes: readonly ProviderShape[] = [
  {
    name: "provider A: certificate in lines, both parts signed, attributes with types",
    metadata: (issuer, key) =>
      `<?xml version="1.0" encoding="UTF-8"?><md:EntityDescriptor entityID="${issuer}" xmlns:md="${md}"><md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="${samlNames.protocol}"><md:KeyDescriptor use="signing">${keyInfo(key, { wrap: linesOf64 })}</md:KeyDescriptor><md:NameIDFormat>${samlNames.email}</md:NameIDFormat><md:NameIDFormat>${samlNames.unspecified}</md:NameIDFormat><md:SingleSignOnService Binding="${samlNames.post}" Location="https://a.example.com/app/1/sso/saml"/><md:SingleSignOnService Binding="${samlNames.redirect}" Location="https://a.example.com/app/1/sso/saml"/></md:IDPSSODescriptor></md:EntityDescriptor>`,
    fields: { moreStatements: statement(["firstName", "Ada"], ["lastName", "Lovelace"]) },
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
      moreStatements: statement(
        ["http://schemas.example.com/identity/claims/tenantid", "1"],
        [`${claims}/givenname`, "Ada"],
        [`${claims}/surname`, "Lovelace"],
        [`${claims}/name`, "ada.1815@example.com"],
      ),
    },
    options: ({ certificate }) => ({ certificate }),
  },
  {
    name: "provider C: metadata with an end and signing only requested for responses",
    metadata: (issuer, key) =>
      `<?xml version="1.0" encoding="UTF-8" standalone="no"?><md:EntityDescriptor xmlns:md="${md}" entityID="${issuer}" validUntil="2036-01-01T00:00:00.000Z"><md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="${samlNames.protocol}"><md:KeyDescriptor use="signing">${keyInfo(key, { wrap: linesOf64 })}</md:KeyDescriptor><md:NameIDFormat>${samlNames.email}</md:NameIDFormat><md:SingleSignOnService Binding="${samlNames.redirect}" Location="https://c.example.com/o/saml2/idp?idpid=1"/><md:SingleSignOnService Binding="${samlNames.post}" Location="https://c.example.com/o/saml2/idp?idpid=1"/></md:IDPSSODescriptor></md:EntityDescriptor>`,
    fields: {
      nameId: { text: `ada.${crypto.randomUUID()}@example.com`, format: samlNames.email },
      moreStatements: statement(["firstName", "Ada"], ["lastName", "Lovelace"]),
    },
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
      moreStatements:
        ["offline_access", "view-profile"].map((role) => statement(["Role", role])).join("") +
        statement(["urn:oid:2.5.4.42", "Ada", "givenName"], ["urn:oid:2.5.4.4", "Lovelace", "surname"]),
    },
    options: ({ certificate }) => ({ signed: "both", certificate }),
  },
];

const core = "urn:ietf:params:scim:schemas:core:2.0:User";
const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

interface NewPerson {
  readonly handle: string;
  readonly email: string;
  readonly externalId: string;
}

/** Operations of one PATCH, with the attributes of the resource that follow from it. */
type Patch = readonly [what: string, operations: readonly object[], outcome: object];

/** A directory as it creates users and groups, and as it changes them afterwards. */
export interface DirectoryShape {
  readonly name: string;
  create(person: NewPerson): { readonly userName: string } & Readonly<Record<string, unknown>>;
  /** The body that replaces a user that it has read. */
  replace?(person: NewPerson, read: object): object;
  patches(person: NewPerson): readonly Patch[];
  /** The search before it creates a group. */
  readonly groupSearch?: (name: string) => string;
  /** Changes of a group that has no members at first. */
  groupPatches(members: {
    readonly one: string;
    readonly other: string;
    readonly groupId: string;
  }): readonly Patch[];
}

const membersAre = (...ids: readonly string[]) => ({ members: ids.map((value) => ({ value })) });

export const directoryShapes: readonly DirectoryShape[] = [
  {
    name: "sends no paths in operations",
    create: ({ email, externalId }) => ({
      schemas: [core],
      userName: email,
      name: { givenName: "Ada", familyName: "Lovelace", middleName: "", honorificPrefix: null },
      emails: [{ primary: true, value: email, type: "work", display: email }],
      displayName: "Ada Lovelace",
      nickName: null,
      phoneNumbers: [],
      locale: "en-US",
      preferredLanguage: "en-US",
      externalId,
      groups: [],
      active: true,
    }),
    replace: (_, read) => ({
      ...read,
      name: { givenName: "Ada", familyName: "King" },
      groups: [],
      nickName: "A",
    }),
    patches: () => [
      ["deactivate", [{ op: "replace", value: { active: false } }], { active: false }],
      [
        "reactivate",
        [{ op: "replace", value: { active: true } }],
        { active: true, displayName: "Ada Lovelace", preferredLanguage: "en-US" },
      ],
    ],
    groupPatches: ({ one, other, groupId }) => [
      [
        "rename",
        [{ op: "replace", value: { id: groupId, displayName: "Engine room" } }],
        { displayName: "Engine room" },
      ],
      [
        "add",
        [{ op: "add", path: "members", value: [{ value: one, display: "ada@example.com" }] }],
        { displayName: "Engine room", ...membersAre(one) },
      ],
      [
        "exchange",
        [
          { op: "remove", path: `members[value eq "${one}"]` },
          { op: "add", path: "members", value: [{ value: other, display: "bea@example.com" }] },
        ],
        membersAre(other),
      ],
      ["replace all", [{ op: "replace", path: "members", value: [{ value: one }] }], membersAre(one)],
      ["replace all by none", [{ op: "replace", path: "members", value: [] }], membersAre()],
    ],
  },
  {
    name: "sends booleans as texts, names of operations in capitals and paths with filters",
    create: ({ email, externalId }) => ({
      schemas: [core, enterprise],
      externalId,
      userName: email.toUpperCase(),
      active: true,
      addresses: [{ primary: false, type: "work", country: "GB", formatted: "", locality: "London" }],
      displayName: "Ada Lovelace",
      emails: [{ primary: true, type: "work", value: email }],
      meta: { resourceType: "User" },
      name: { formatted: "Ada Lovelace", familyName: "Lovelace", givenName: "Ada" },
      phoneNumbers: [{ primary: true, type: "work", value: "+44 20 7946 0000" }],
      preferredLanguage: "en-GB",
      roles: [],
      title: "Countess",
      [enterprise]: { department: "Engines", employeeNumber: "1815", manager: { value: "" } },
    }),
    patches: ({ email }) => [
      ["rename by Add", [{ op: "Add", path: "displayName", value: "Ada King" }], { displayName: "Ada King" }],
      [
        "deactivate with a text",
        [{ op: "Replace", path: "active", value: "False" }],
        { active: false, displayName: "Ada King" },
      ],
      ["reactivate in a list", [{ op: "Add", path: "active", value: [{ value: "True" }] }], { active: true }],
      [
        "a role in a list of objects",
        [
          {
            op: "Add",
            path: "roles",
            value: [{ value: "Partner", type: "work", primary: "True", display: "Partner" }],
          },
        ],
        { roles: ["partner"] },
      ],
      [
        "deactivate",
        [{ op: "Replace", path: "active", value: false }],
        { active: false, roles: ["partner"] },
      ],
      [
        "everything of a profile",
        [
          { op: "Replace", path: "displayName", value: "Ada Byron" },
          { op: "Replace", path: "active", value: "True" },
          { op: "Replace", path: "name.familyName", value: "Byron" },
          { op: "Add", path: 'emails[type eq "work"].value', value: `new.${email}` },
          { op: "Add", path: 'emails[type eq "other"].value', value: `old.${email}` },
          { op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "+44 7700 900000" },
          { op: "Add", path: 'addresses[type eq "work"].streetAddress', value: "1 Engine Road" },
          { op: "Replace", path: "preferredLanguage", value: "de-CH" },
          { op: "Add", path: `${enterprise}:department`, value: "Sales" },
          { op: "Add", path: `${enterprise}:manager`, value: "e7a1c1d2" },
        ],
        {
          active: true,
          displayName: "Ada Byron",
          emails: [{ value: `new.${email}` }],
          preferredLanguage: "de-CH",
        },
      ],
      [
        "attributes without a path, by their paths",
        [
          {
            op: "replace",
            value: {
              displayName: "Ada",
              "name.givenName": "Ada",
              'emails[type eq "work"].value': email,
              [`${enterprise}:department`]: "Engines",
              active: "True",
            },
          },
        ],
        { displayName: "Ada", emails: [{ value: email }] },
      ],
      [
        "a role by a filter",
        [{ op: "Add", path: 'roles[primary eq "True"].value', value: "Member" }],
        { roles: ["member"] },
      ],
      ["a manager who is gone", [{ op: "Remove", path: `${enterprise}:manager` }], { displayName: "Ada" }],
      [
        "an address that is gone",
        [{ op: "Remove", path: 'emails[type eq "work"].value' }],
        { emails: [{ value: email }] },
      ],
      [
        "a language that is gone",
        [{ op: "Replace", path: "preferredLanguage", value: null }],
        { preferredLanguage: "en" },
      ],
      [
        "another user name",
        [{ op: "Replace", path: "userName", value: `king.${email}` }],
        { userName: `king.${email}`, displayName: "Ada" },
      ],
      [
        "an attribute that nobody knows",
        [{ op: "Add", path: "badge", value: "7" }],
        { status: "400", scimType: "invalidPath", detail: "badge: cannot be changed by a PATCH" },
      ],
    ],
    groupSearch: (name) =>
      `excludedAttributes=members&filter=${encodeURIComponent(`displayName eq "${name}"`)}`,
    groupPatches: ({ one, other }) => [
      [
        "rename",
        [{ op: "Replace", path: "displayName", value: "Engine room" }],
        { displayName: "Engine room" },
      ],
      ["its id", [{ op: "Replace", path: "externalId", value: "e-2" }], { externalId: "e-2" }],
      [
        "add",
        [
          {
            op: "Add",
            path: "members",
            value: [
              { $ref: null, value: one },
              { $ref: null, value: other },
            ],
          },
        ],
        membersAre(one, other),
      ],
      ["remove", [{ op: "Remove", path: "members", value: [{ $ref: null, value: one }] }], membersAre(other)],
      [
        "remove again",
        [{ op: "Remove", path: "members", value: [{ $ref: null, value: one }] }],
        membersAre(other),
      ],
    ],
  },
  {
    name: "replaces whole users and sends empty values",
    create: ({ email, externalId }) => ({
      schemas: [core],
      userName: email,
      externalId,
      active: true,
      displayName: "",
      nickName: "",
      title: "",
      preferredLanguage: "",
      name: { givenName: "Ada", familyName: "Lovelace", middleName: "", formatted: "Ada Lovelace" },
      emails: [
        { type: "home", value: "" },
        { type: "work", value: email, primary: true },
      ],
      phoneNumbers: [{ type: "work", value: "" }],
      addresses: [],
      roles: [{ value: "" }],
      [enterprise]: { department: "", employeeNumber: "" },
    }),
    replace: ({ email, externalId }, { id }: { id?: string }) => ({
      schemas: [core],
      id,
      userName: email,
      externalId,
      active: true,
      displayName: "Ada Lovelace",
      emails: [{ type: "work", value: email, primary: true }],
    }),
    patches: () => [
      ["deactivate", [{ op: "replace", path: "active", value: false }], { active: false }],
      ["reactivate", [{ op: "replace", path: "active", value: true }], { active: true }],
    ],
    groupPatches: ({ one, other }) => [
      ["add", [{ op: "add", path: "members", value: [{ value: one }] }], membersAre(one)],
      ["add without a path", [{ op: "add", value: { members: [{ value: other }] } }], membersAre(one, other)],
      ["remove", [{ op: "remove", path: `members[value eq "${one}"]` }], membersAre(other)],
    ],
  },
  {
    name: "sends handles, and complex attributes as a whole",
    create: ({ handle, email, externalId }) => ({
      schemas: [core, enterprise],
      userName: handle,
      externalId,
      name: { familyName: "Lovelace", givenName: "Ada", formatted: "Ada Lovelace" },
      displayName: "Ada Lovelace",
      emails: [{ value: email, type: "work", primary: true }],
      active: "true",
      userType: "Employee",
      [enterprise]: { organization: "Engines", costCenter: "7", manager: { value: "1", displayName: "Bea" } },
    }),
    patches: ({ email }) => [
      [
        "a name and an address",
        [
          { op: "replace", path: "name", value: { givenName: "Ada", familyName: "King" } },
          { op: "replace", path: "emails", value: [{ value: `new.${email}`, type: "work", primary: true }] },
          { op: "add", path: enterprise, value: { department: "Sales" } },
          { op: "replace", path: "userType", value: null },
        ],
        { displayName: "Ada Lovelace", emails: [{ value: `new.${email}` }] },
      ],
      [
        "another address beside it",
        [{ op: "add", path: "emails", value: [{ value: `home.${email}`, type: "home" }] }],
        {
          emails: [{ value: `new.${email}` }],
        },
      ],
      ["deactivate", [{ op: "replace", path: "active", value: "false" }], { active: false }],
      ["nothing", [], { active: false }],
    ],
    groupPatches: ({ one, other }) => [
      ["add one", [{ op: "add", path: "members", value: { value: one } }], membersAre(one)],
      [
        "all without a path",
        [{ op: "replace", value: { members: [{ value: other, type: "User" }] } }],
        membersAre(other),
      ],
      ["remove all", [{ op: "remove", path: "members" }], membersAre()],
    ],
  },
];
