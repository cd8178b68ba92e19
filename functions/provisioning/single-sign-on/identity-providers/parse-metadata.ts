import { X509Certificate } from "node:crypto";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import { XmlError } from "../check-markup.ts";
import { childElements, childrenNamed, parseXml } from "../parse-xml.ts";

/** The content of an identity provider's metadata. */
export type Metadata = Pick<IdentityProvider, "issuer" | "requestUri" | "certificates">;

const metadataNamespace = "urn:oasis:names:tc:SAML:2.0:metadata";
const signatureNamespace = "http://www.w3.org/2000/09/xmldsig#";
const postBinding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";

/** Larger than metadata with hundreds of types of claims, and smaller than an item may be. */
const maxMetadataBytes = 256 * 1024;
/** Longest entity id (SAML metadata 2.2.1). */
const maxIssuerLength = 1024;
const maxUriLength = 2048;
/** While keys are being replaced, there are two or three. A login may have to try them all. */
const maxCertificates = 8;
/** Keeps lists of providers within the limit of an answer. */
const maxCertificateBytes = 4096;
/** Shorter keys have been broken; longer keys and large exponents take long to verify. */
const minKeyBits = 2048;
const maxKeyBits = 8192;
const maxExponent = 2n ** 32n;
const sha256WithRsa = "1.2.840.113549.1.1.11";

/**
 * Read the metadata of an identity provider (SAML metadata 2.4.3): the root is its `EntityDescriptor`, or an
 * `EntitiesDescriptor` that contains only this one. Checks neither a signature of the metadata nor the validity of
 * certificates: the admin vouches for both.
 *
 * @throws ApiError `invalid-metadata`
 */
export function parseMetadata(text: string): Metadata {
  if (Buffer.byteLength(text) > maxMetadataBytes)
    throw invalid(`The metadata has more than ${maxMetadataBytes} bytes`);
  const entity = entityOf(rootOf(text));
  const descriptor = onlyChild(entity, metadataNamespace, "IDPSSODescriptor");
  const endpoints = childrenNamed(descriptor, metadataNamespace, "SingleSignOnService").filter(
    (endpoint) => endpoint.getAttribute("Binding")?.trim().toLowerCase() === postBinding.toLowerCase(),
  );
  const [endpoint] = endpoints;
  if (endpoint === undefined || endpoints.length > 1)
    throw invalid("There is not exactly one SingleSignOnService with the binding HTTP-POST");
  const keys = childrenNamed(descriptor, metadataNamespace, "KeyDescriptor").filter(
    (key) => key.getAttribute("use") !== "encryption",
  );
  if (keys.length === 0) throw invalid("There is no certificate of a signing key");
  if (keys.length > maxCertificates) throw invalid(`There are more than ${maxCertificates} certificates`);
  return {
    issuer: uriAttribute(entity, "entityID", maxIssuerLength),
    requestUri: uriAttribute(endpoint, "Location", maxUriLength),
    certificates: [...new Set(keys.map(certificateOf))],
  };
}

function rootOf(text: string): Element {
  try {
    return parseXml(text, { maxLength: maxMetadataBytes });
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw invalid(`The metadata cannot be read: ${error.message}`, error);
  }
}

function entityOf(root: Element): Element {
  if (isMetadata(root, "EntityDescriptor")) return root;
  const [entity, ...others] = childElements(root).filter(({ localName }) => localName?.startsWith("Entit"));
  const isOnly = entity !== undefined && others.length === 0 && isMetadata(entity, "EntityDescriptor");
  if (!isMetadata(root, "EntitiesDescriptor") || !isOnly)
    throw invalid("There is not exactly one EntityDescriptor");
  return entity;
}

const isMetadata = ({ namespaceURI, localName }: Element, name: string) =>
  namespaceURI === metadataNamespace && localName === name;

function onlyChild(parent: Element, namespace: string, name: string): Element {
  const [child, ...others] = childrenNamed(parent, namespace, name);
  if (child === undefined || others.length > 0) throw invalid(`There is not exactly one ${name}`);
  return child;
}

/** Surrounding white space does not count (XML Schema, type `anyURI`). */
function uriAttribute(element: Element, name: string, maxLength: number): string {
  const uri = element.getAttribute(name)?.trim() ?? "";
  const isPlain = uri.isWellFormed() && !/[\s\p{Cc}]/u.test(uri);
  if (uri.length > maxLength || !isPlain || !URL.canParse(uri)) throw invalid(`${name} is not a URI`);
  return uri;
}

/**
 * Read the certificate of a `KeyInfo` (XML-DSig 4.5).
 * @returns base64
 * @throws ApiError `invalid-metadata`
 */
export const parseKeyInfo = (text: string): string => certificateIn(rootOf(text));

const certificateOf = (key: Element) => certificateIn(onlyChild(key, signatureNamespace, "KeyInfo"));

function certificateIn(info: Element): string {
  const data = onlyChild(info, signatureNamespace, "X509Data");
  const element = onlyChild(data, signatureNamespace, "X509Certificate");
  const content = element.textContent ?? "";
  const text = (armoured.exec(content)?.[1] ?? content).replaceAll(/\s/g, "");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw invalid("A certificate is not in base64");
  const certificate = parseCertificate(Buffer.from(text, "base64"));
  checkAlgorithms(certificate);
  return certificate.raw.toString("base64");
}

/** Some providers have the file of a certificate in their metadata (RFC 7468 §5.1), instead of its content. */
const armoured = /^\s*-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----\s*$/;

function parseCertificate(bytes: Buffer): X509Certificate {
  if (bytes.length > maxCertificateBytes) throw invalid("A certificate is too long");
  try {
    return new X509Certificate(bytes);
  } catch (cause) {
    throw invalid("A certificate cannot be read", cause);
  }
}

function checkAlgorithms({ publicKey, signatureAlgorithmOid }: X509Certificate): void {
  const { asymmetricKeyType, asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {} } =
    publicKey;
  if (asymmetricKeyType !== "rsa" || signatureAlgorithmOid !== sha256WithRsa)
    throw invalid("A certificate is not for an RSA key, or not signed with RSA and SHA-256");
  if (modulusLength < minKeyBits || modulusLength > maxKeyBits || publicExponent > maxExponent)
    throw invalid(`An RSA key must have ${minKeyBits} to ${maxKeyBits} bits and a common exponent`);
}

const invalid = (message: string, cause?: unknown) => new ApiError("invalid-metadata", { message, cause });
