import { randomUUID } from "node:crypto";
import { SignedXml } from "xml-crypto";
import type { Clock } from "#shared/platform/clock.ts";
import { systemClock } from "#shared/platform/clock.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import { type ApiAnswer, api } from "./api.ts";
import { provisioningData } from "./provisioning.ts";
import type { Apis } from "./users.ts";

/** A key pair with a self-signed certificate, all in PEM. */
export interface SigningKey {
  readonly privateKey: string;
  readonly publicKey: string;
  readonly certificate: string;
}

/** Options of a key; by default RSA with 2048 bits and a certificate signed with SHA-256. */
export interface SigningKeyOptions {
  readonly keyType?: "rsa" | "ec";
  readonly keySize?: number;
  readonly algorithm?: "sha1" | "sha256" | "sha384" | "sha512";
}

export async function newSigningKey(options: SigningKeyOptions = {}): Promise<SigningKey> {
  // Not imported at the top: loading it takes longer than most tests.
  const { generate } = await import("selfsigned");
  const name = [{ name: "commonName", value: "Test identity provider" }];
  const {
    private: privateKey,
    public: publicKey,
    cert,
  } = await generate(name, { algorithm: "sha256", ...options });
  return { privateKey, publicKey, certificate: cert };
}

const sharedKeys = new Map<string, Promise<SigningKey>>();

/** A named key that tests share: most need one, those about mixed-up keys a second one. */
export function sharedKey(name: string, options?: SigningKeyOptions): Promise<SigningKey> {
  const key = sharedKeys.get(name) ?? newSigningKey(options);
  sharedKeys.set(name, key);
  return key;
}

/** DER in base64, as in metadata and in the `IdentityProviderStore`. */
export const certificateText = ({ certificate }: Pick<SigningKey, "certificate">): string =>
  certificate.replace(/-----[A-Z ]+-----|\s/g, "");

export const samlNames = {
  protocol: "urn:oasis:names:tc:SAML:2.0:protocol",
  assertion: "urn:oasis:names:tc:SAML:2.0:assertion",
  bearer: "urn:oasis:names:tc:SAML:2.0:cm:bearer",
  success: "urn:oasis:names:tc:SAML:2.0:status:Success",
  responder: "urn:oasis:names:tc:SAML:2.0:status:Responder",
  post: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
  redirect: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect",
  unspecified: "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
  email: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  persistent: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  entity: "urn:oasis:names:tc:SAML:2.0:nameid-format:entity",
} as const;

export const algorithms = {
  rsaSha1: "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
  rsaSha256: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
  rsaSha512: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
  hmacSha1: "http://www.w3.org/2000/09/xmldsig#hmac-sha1",
  sha1: "http://www.w3.org/2000/09/xmldsig#sha1",
  sha256: "http://www.w3.org/2001/04/xmlenc#sha256",
  sha512: "http://www.w3.org/2001/04/xmlenc#sha512",
  enveloped: "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
  exclusive: "http://www.w3.org/2001/10/xml-exc-c14n#",
  exclusiveWithComments: "http://www.w3.org/2001/10/xml-exc-c14n#WithComments",
  inclusive: "http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
} as const;

/** The request to an identity provider from the page at `/sso/initiate-login`. */
export interface LoginRequest {
  /** URL that the form is posted to. */
  readonly action: string;
  /** Content of the hidden field. */
  readonly samlRequest: string;
  readonly xml: string;
  /** `ID` of the AuthnRequest. */
  readonly id: string;
  /** Entity id of the service provider, which is also the URL for responses. */
  readonly issuer: string;
}

/** Read the page that sends a browser to the identity provider. */
export function readLoginPage(page: string): LoginRequest {
  const action = attribute(page, "action");
  const samlRequest = /<input[^>]*name="SAMLRequest"[^>]*value="([^"]*)"/.exec(page)?.[1];
  if (samlRequest === undefined) throw new Error(`No page of a login: ${page}`);
  return { action, ...readRequest(unescapeXml(samlRequest)) };
}

/** Read the form that the page sends to the identity provider. */
export const readLoginForm = (body: string): LoginRequest => ({
  action: "",
  ...readRequest(new URLSearchParams(body).get("SAMLRequest") ?? ""),
});

function readRequest(samlRequest: string): Omit<LoginRequest, "action"> {
  const xml = Buffer.from(samlRequest, "base64").toString();
  const issuer = /<(?:\w+:)?Issuer[^>]*>([^<]*)</.exec(xml)?.[1];
  if (issuer === undefined) throw new Error(`No AuthnRequest: ${xml}`);
  return { samlRequest, xml, id: attribute(xml, "ID"), issuer: unescapeXml(issuer) };
}

function attribute(xml: string, name: string): string {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(xml)?.[1];
  if (value === undefined) throw new Error(`Nothing has the attribute ${name}: ${xml}`);
  return unescapeXml(value);
}

/** A name with its qualifiers; `null` leaves an attribute out. */
export interface NameId {
  readonly text: string;
  readonly format?: string | null;
  readonly nameQualifier?: string;
  readonly spNameQualifier?: string;
  readonly spProvidedId?: string;
}

/** Content of a response. Times are Unix milliseconds; `null` leaves an element or attribute out. */
export interface ResponseFields {
  readonly nameId: NameId;
  /** Issuer of the response and its assertion. */
  readonly issuer: string;
  readonly responseIssuer: string | null;
  readonly responseId: string;
  readonly assertionId: string | null;
  readonly version: string;
  readonly status: string;
  readonly destination: string | null;
  readonly recipient: string | null;
  readonly audience: string | null;
  /** Of the response and the confirmation of the subject. */
  readonly inResponseTo: string | null;
  readonly confirmationMethod: string;
  readonly issueInstant: number;
  readonly authnInstant: number;
  readonly sessionNotOnOrAfter: number | null;
  readonly notBefore: number | null;
  readonly notOnOrAfter: number | null;
  readonly confirmationNotBefore: number | null;
  readonly confirmationNotOnOrAfter: number | null;
  /** XML after the subject confirmation and conditions of the assertion. */
  readonly moreConditions: string;
  /** XML at the end of the assertion. */
  readonly moreStatements: string;
  /** XML between the status of the response and its assertion. */
  readonly extensions: string;
}

/** Options for signing an element. */
export interface SigningOptions {
  readonly key?: SigningKey;
  readonly signatureAlgorithm?: string;
  readonly digestAlgorithm?: string;
  readonly canonicalization?: string;
  readonly transforms?: readonly string[];
  /** Certificate in the KeyInfo; default: none. */
  readonly certificate?: string;
  /** Id that the signature refers to; by default that of the element that contains it. */
  readonly reference?: Partial<Parameters<SignedXml["addReference"]>[0]>;
  /** Where the signature is inserted; by default after the issuer. */
  readonly location?: NonNullable<Parameters<SignedXml["computeSignature"]>[1]>["location"];
  /** Change the signer, for algorithms that it lacks or further references. */
  readonly prepare?: (signer: SignedXml) => void;
}

/** The signed parts of a response: the specification requires the assertion. */
type SignedPart = "assertion" | "response" | "both" | "nothing";

export interface ResponseOptions extends SigningOptions {
  readonly signed?: SignedPart;
  /** Change the XML before it is signed. */
  readonly edit?: (xml: string) => string;
  /** Change the XML after it was signed. */
  readonly tamper?: (xml: string) => string;
}

/** An identity provider that signs whatever a test wants. */
export interface TestIdentityProvider {
  readonly issuer: string;
  readonly requestUri: string;
  readonly key: SigningKey;
  /** Metadata with these changes; certificates are PEM. */
  metadata(changes?: MetadataFields): string;
  /** XML of an unsigned response. */
  unsigned(request: LoginRequest, fields?: Partial<ResponseFields>): string;
  /** XML of a signed response. */
  signed(request: LoginRequest, fields?: Partial<ResponseFields>, options?: ResponseOptions): string;
  /** Value of the field `SAMLResponse`. */
  respond(request: LoginRequest, fields?: Partial<ResponseFields>, options?: ResponseOptions): string;
}

interface MetadataFields {
  readonly issuer?: string;
  readonly requestUri?: string;
  readonly binding?: string;
  readonly keys?: readonly Pick<SigningKey, "certificate">[];
  /** XML of the `KeyDescriptor` elements. */
  readonly keyDescriptors?: string;
}

/** Create an identity provider. Without a key, it uses one that it shares with others. */
export async function newIdentityProvider({
  issuer = `https://idp-${randomUUID()}.example.com/metadata`,
  requestUri = new URL("/login?tenant=a&b=c", issuer).href,
  key: givenKey,
  clock = systemClock,
}: {
  issuer?: string;
  requestUri?: string;
  key?: SigningKey;
  clock?: Clock;
} = {}): Promise<TestIdentityProvider> {
  const key = givenKey ?? (await sharedKey("usual"));
  const provider: TestIdentityProvider = {
    issuer,
    requestUri,
    key,
    metadata: (changes) => metadataXml({ issuer, requestUri, keys: [key], ...changes }),
    unsigned: (request, fields) => responseXml({ ...defaultFields(issuer, request, clock()), ...fields }),
    signed(request, fields, { signed = "assertion", edit = same, tamper = same, ...options } = {}) {
      let xml = edit(provider.unsigned(request, fields));
      if (signed === "assertion" || signed === "both")
        xml = signElement(xml, "Assertion", { key, ...options });
      if (signed === "response" || signed === "both") xml = signElement(xml, "Response", { key, ...options });
      return tamper(xml);
    },
    respond: (request, fields, options) => encodeXml(provider.signed(request, fields, options)),
  };
  return provider;
}

const same = (xml: string) => xml;

const minute = 60_000;

const defaultFields = (issuer: string, request: LoginRequest, now: number): ResponseFields => ({
  nameId: { text: `subject-${randomUUID()}`, format: samlNames.unspecified },
  issuer,
  responseIssuer: issuer,
  responseId: `_${randomUUID()}`,
  assertionId: `_${randomUUID()}`,
  version: "2.0",
  status: samlNames.success,
  destination: request.issuer,
  recipient: request.issuer,
  audience: request.issuer,
  inResponseTo: request.id,
  confirmationMethod: samlNames.bearer,
  issueInstant: now,
  authnInstant: now,
  sessionNotOnOrAfter: null,
  notBefore: now - minute,
  notOnOrAfter: now + 5 * minute,
  confirmationNotBefore: null,
  confirmationNotOnOrAfter: now + 5 * minute,
  moreConditions: "",
  moreStatements: "",
  extensions: "",
});

/** Encode XML as the field of a form. */
export const encodeXml = (xml: string | Uint8Array): string => Buffer.from(xml).toString("base64");

export const escapeXml = (text: string): string =>
  text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);

const unescapeXml = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (_, decimal, hex, name) =>
    name === undefined
      ? String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
      : ({ lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" }[name as string] ?? ""),
  );

const iso = (milliseconds: number) => new Date(milliseconds).toISOString();

/** XML attributes; those without a value are left out. */
const attributes = (values: Record<string, string | number | null | undefined>): string =>
  Object.entries(values)
    .filter((entry): entry is [string, string | number] => entry[1] !== null && entry[1] !== undefined)
    .map(([name, value]) => ` ${name}="${typeof value === "number" ? iso(value) : escapeXml(value)}"`)
    .join("");

/** Write a response; elements are in the order of the schema (SAML core 3.3.3, 2.3.3). */
function responseXml(fields: ResponseFields): string {
  const { responseIssuer, audience, extensions } = fields;
  const response = attributes({
    ID: fields.responseId,
    Version: fields.version,
    IssueInstant: fields.issueInstant,
    Destination: fields.destination,
    InResponseTo: fields.inResponseTo,
  });
  const assertion = attributes({
    ID: fields.assertionId,
    Version: fields.version,
    IssueInstant: fields.issueInstant,
  });
  const nameId = attributes({
    Format: fields.nameId.format,
    NameQualifier: fields.nameId.nameQualifier,
    SPNameQualifier: fields.nameId.spNameQualifier,
    SPProvidedID: fields.nameId.spProvidedId,
  });
  const confirmationData = attributes({
    InResponseTo: fields.inResponseTo,
    NotBefore: fields.confirmationNotBefore,
    NotOnOrAfter: fields.confirmationNotOnOrAfter,
    Recipient: fields.recipient,
  });
  const conditions = attributes({ NotBefore: fields.notBefore, NotOnOrAfter: fields.notOnOrAfter });
  const authn = attributes({
    AuthnInstant: fields.authnInstant,
    SessionIndex: "session-1",
    SessionNotOnOrAfter: fields.sessionNotOnOrAfter,
  });
  const issuerElement = (issuer: string) => `<saml:Issuer>${escapeXml(issuer)}</saml:Issuer>`;
  return [
    `<samlp:Response xmlns:samlp="${samlNames.protocol}" xmlns:saml="${samlNames.assertion}"${response}>`,
    responseIssuer === null ? "" : issuerElement(responseIssuer),
    `<samlp:Status><samlp:StatusCode Value="${fields.status}"/></samlp:Status>`,
    extensions,
    `<saml:Assertion${assertion}>`,
    issuerElement(fields.issuer),
    `<saml:Subject><saml:NameID${nameId}>${escapeXml(fields.nameId.text)}</saml:NameID>`,
    `<saml:SubjectConfirmation Method="${fields.confirmationMethod}">`,
    `<saml:SubjectConfirmationData${confirmationData}/></saml:SubjectConfirmation></saml:Subject>`,
    `<saml:Conditions${conditions}>`,
    audience === null
      ? ""
      : `<saml:AudienceRestriction><saml:Audience>${escapeXml(audience)}</saml:Audience></saml:AudienceRestriction>`,
    `${fields.moreConditions}</saml:Conditions>`,
    `<saml:AuthnStatement${authn}><saml:AuthnContext>`,
    "<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef>",
    `</saml:AuthnContext></saml:AuthnStatement>${fields.moreStatements}</saml:Assertion></samlp:Response>`,
  ].join("");
}

/** Sign the first element of a name: an enveloped signature after its issuer (SAML core 5.4). */
export function signElement(
  xml: string,
  localName: string,
  {
    key,
    signatureAlgorithm = algorithms.rsaSha256,
    digestAlgorithm = algorithms.sha256,
    canonicalization = algorithms.exclusive,
    transforms = [algorithms.enveloped, algorithms.exclusive],
    certificate,
    reference,
    location,
    prepare,
  }: SigningOptions,
): string {
  const signer = new SignedXml({
    privateKey: key?.privateKey,
    publicCert: certificate,
    getKeyInfoContent: certificate === undefined ? () => null : SignedXml.getKeyInfoContent,
    signatureAlgorithm,
    canonicalizationAlgorithm: canonicalization,
  });
  prepare?.(signer);
  const element = `(//*[local-name(.)='${localName}'])[1]`;
  signer.addReference({ xpath: element, digestAlgorithm, transforms: [...transforms], ...reference });
  signer.computeSignature(xml, {
    prefix: "ds",
    location: location ?? { reference: `${element}/*[local-name(.)='Issuer']`, action: "after" },
  });
  return signer.getSignedXml();
}

function metadataXml({
  issuer = "",
  requestUri = "",
  binding = samlNames.post,
  keys = [],
  keyDescriptors = keys.map(keyDescriptor).join(""),
}: MetadataFields): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata"${attributes({ entityID: issuer })}>`,
    `<md:IDPSSODescriptor protocolSupportEnumeration="${samlNames.protocol}">${keyDescriptors}`,
    `<md:SingleSignOnService Binding="${binding}"${attributes({ Location: requestUri })}/>`,
    "</md:IDPSSODescriptor></md:EntityDescriptor>",
  ].join("");
}

/** Write the metadata element that contains a key. */
export const keyDescriptor = (key: Pick<SigningKey, "certificate">): string =>
  [
    '<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>',
    `<ds:X509Certificate>${certificateText(key)}</ds:X509Certificate>`,
    "</ds:X509Data></ds:KeyInfo></md:KeyDescriptor>",
  ].join("");

/** Register an identity provider directly in the tables, by default as version 2. */
export const registerIdentityProvider = (
  provider: TestIdentityProvider,
  teamId: string,
  fields: Partial<IdentityProvider> = {},
  stack?: { prefix: string },
): Promise<IdentityProvider> =>
  provisioningData(stack).newProvider(teamId, {
    issuer: provider.issuer,
    requestUri: provider.requestUri,
    certificates: [certificateText(provider.key)],
    ...fields,
  });

type Registered = Pick<IdentityProvider, "id" | "teamId" | "apiVersion">;

/** Start a login; `query` contains an app's redirect URLs. */
export async function initiateLogin(
  { id }: Pick<Registered, "id">,
  { publicApi = api, query = {}, headers }: Partial<Apis> & LoginOptions = {},
): Promise<LoginRequest> {
  const search = new URLSearchParams(query).toString();
  const path = `/sso/initiate-login/${id}${search && `?${search}`}`;
  const { status, body } = await publicApi("GET", path, { headers });
  if (status !== 200) throw new Error(`Starting a login was answered ${status}: ${JSON.stringify(body)}`);
  return readLoginPage(body);
}

export interface LoginOptions {
  readonly query?: Record<string, string>;
  readonly headers?: Record<string, string>;
}

/** Post the response of an identity provider as a browser does. */
export const finalizeLogin = (
  { teamId, apiVersion }: Pick<Registered, "teamId" | "apiVersion">,
  samlResponse: string,
  { publicApi = api, headers }: Partial<Apis> & Pick<LoginOptions, "headers"> = {},
): Promise<ApiAnswer> =>
  publicApi("POST", apiVersion === "v1" ? "/sso/finalize-login" : `/sso/finalize-login/${teamId}`, {
    body: new URLSearchParams({ SAMLResponse: samlResponse }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });

/** Log in through an identity provider, from the first page to the last. */
export async function logInBySaml(
  registered: Registered,
  provider: TestIdentityProvider,
  fields: Partial<ResponseFields> = {},
  options: Partial<Apis> & LoginOptions & ResponseOptions = {},
): Promise<ApiAnswer> {
  const request = await initiateLogin(registered, options);
  return finalizeLogin(registered, provider.respond(request, fields, options), options);
}

/** The outcome in the title of a page: `success`, or the label of the error. */
export const verdictOf = ({ body }: Pick<ApiAnswer, "body">): string | undefined =>
  /<title>[^<:]*:sso:(?:error:)?([^<]*)<\/title>/.exec(body)?.[1];
