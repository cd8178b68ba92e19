import { createHash, type KeyObject, verify } from "node:crypto";
import { childElements, parseXml } from "../../parse-xml.ts";
import { canonicalForm, canonicalizations, exclusiveNamespace } from "./canonical-form.ts";
import { namespaces } from "./names.ts";

/** An assertion is not signed by the identity provider, or not in the only accepted way. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";
}

const enveloped = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
/** Hashes of RSA signatures, by the names of the methods. */
const signatureHashes = {
  "http://www.w3.org/2000/09/xmldsig#rsa-sha1": "sha1",
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256": "sha256",
} as const;
const digestHashes = {
  "http://www.w3.org/2000/09/xmldsig#sha1": "sha1",
  "http://www.w3.org/2001/04/xmlenc#sha256": "sha256",
  "http://www.w3.org/2001/04/xmlenc#sha512": "sha512",
} as const;

/**
 * Verify the signature of an assertion (SAML core 5.4): it is the assertion's only one and its child, refers by id to
 * the assertion and nothing else, and was made with one of the keys. The key named in the signature is ignored.
 *
 * The signature itself is verified first, so that an unsigned assertion costs no digest.
 *
 * @returns the signed text in canonical form; nothing else of the document may be trusted
 * @throws SignatureError
 */
export function verifyAssertion(assertion: Element, keys: readonly KeyObject[]): string {
  const signature = signatureOf(assertion);
  const { info, value, canonicalization } = partsOf(signature);
  const signedInfo = canonicalForm(info, canonicalization);
  // From here on, only the signed text is used.
  const { method, transform, digest, digestValue } = readInfo(parseXml(signedInfo, infoLimits), assertion);
  const signatureBytes = Buffer.from(value.textContent ?? "", "base64");
  const hash = signatureHashes[method];
  if (!keys.some((key) => isRsa(key) && verify(hash, Buffer.from(signedInfo), key, signatureBytes)))
    throw new SignatureError("none of the keys has made the signature");
  const text = withoutChild(assertion, signature, () => canonicalForm(assertion, transform));
  const bytes = createHash(digestHashes[digest]).update(text).digest();
  if (!bytes.equals(Buffer.from(digestValue, "base64")))
    throw new SignatureError("the assertion is not what was signed");
  return text;
}

const isRsa = ({ asymmetricKeyType }: KeyObject) => asymmetricKeyType === "rsa";

function signatureOf(assertion: Element): Element {
  const [signature, ...others] = Array.from(
    assertion.getElementsByTagNameNS(namespaces.signature, "Signature"),
  );
  if (signature === undefined || others.length > 0 || signature.parentNode !== assertion)
    throw new SignatureError("not exactly one signature, which is a child of the assertion");
  return signature;
}

/** Call a function while a child is not part of its parent: the enveloped transform (XML-DSig 6.6.4). */
function withoutChild<T>(parent: Element, child: Element, call: () => T): T {
  const next = child.nextSibling;
  parent.removeChild(child);
  try {
    return call();
  } finally {
    parent.insertBefore(child, next);
  }
}

/** The parts of a signature, each of which must be in one place only. */
function partsOf(signature: Element): {
  info: Element;
  value: Element;
  canonicalization: Element | undefined;
} {
  const [info, value, ...keyInfo] = childElements(signature);
  const hasKeyInfo = keyInfo.length === 0 || (keyInfo.length === 1 && isNamed(keyInfo[0], "KeyInfo"));
  if (!isNamed(info, "SignedInfo") || !isNamed(value, "SignatureValue") || !hasKeyInfo)
    throw new SignatureError("an unusual signature");
  if (hasComment(info) || hasComment(value)) throw new SignatureError("a comment in the signature");
  if (info.getElementsByTagNameNS("*", "*").length > maxInfoElements)
    throw new SignatureError("too many elements in the signature");
  const [canonicalization] = childElements(info);
  checkMethod(canonicalization, "CanonicalizationMethod", canonicalizations);
  return { info, value, canonicalization };
}

/** Far more than the accepted signatures have. */
const maxInfoElements = 20;
const infoLimits = { maxLength: 16 * 1024 };

/** The reference of a signature to the signed element. */
interface SignedInfo {
  readonly method: keyof typeof signatureHashes;
  /** The element of the canonicalization; undefined if there is none. */
  readonly transform: Element | undefined;
  readonly digest: keyof typeof digestHashes;
  readonly digestValue: string;
}

/** @throws SignatureError unless exactly the assertion is referred to, in the only accepted way */
function readInfo(info: Element, assertion: Element): SignedInfo {
  const id = assertion.getAttribute("ID") ?? "";
  if (!/^[^\s'"<>&#]{1,256}$/.test(id)) throw new SignatureError("an id that cannot be referred to");
  if (countIds(assertion.ownerDocument.documentElement, id) !== 1)
    throw new SignatureError("the id is not unique");
  const [, methodElement, reference, ...moreInfo] = childElements(info);
  const method = checkMethod(methodElement, "SignatureMethod", keysOf(signatureHashes));
  if (!isNamed(reference, "Reference") || moreInfo.length > 0)
    throw new SignatureError("not exactly one reference");
  if (reference.getAttribute("URI") !== `#${id}`) throw new SignatureError("a reference to something else");

  const [transforms, digestElement, digestValue, ...moreReference] = childElements(reference);
  if (!isNamed(transforms, "Transforms") || !isNamed(digestValue, "DigestValue") || moreReference.length > 0)
    throw new SignatureError("an unusual reference");
  const digest = checkMethod(digestElement, "DigestMethod", keysOf(digestHashes));
  const [first, transform, ...moreTransforms] = childElements(transforms);
  checkMethod(first, "Transform", [enveloped]);
  if (transform !== undefined) checkMethod(transform, "Transform", canonicalizations);
  if (moreTransforms.length > 0) throw new SignatureError("too many transforms");
  return { method, transform, digest, digestValue: digestValue.textContent ?? "" };
}

const keysOf = <T extends object>(values: T) => Object.keys(values) as (keyof T)[];

/**
 * A method may contain nothing but the prefixes of a canonicalization.
 * @returns its algorithm
 */
function checkMethod<T extends string>(
  element: Element | undefined,
  name: string,
  algorithms: readonly T[],
): T {
  const algorithm = algorithms.find((known) => known === element?.getAttribute("Algorithm"));
  if (!isNamed(element, name) || algorithm === undefined)
    throw new SignatureError(`a ${name} that is not accepted`);
  const [prefixes, ...others] = childElements(element);
  const isPlain =
    prefixes === undefined ||
    (prefixes.namespaceURI === exclusiveNamespace &&
      prefixes.localName === "InclusiveNamespaces" &&
      prefixes.childNodes.length === 0);
  if (!isPlain || others.length > 0) throw new SignatureError(`a ${name} with parameters`);
  return algorithm;
}

/** Counts every attribute that a reader might take for an id, whatever its namespace. */
function countIds(root: Element, id: string): number {
  const elements = [root, ...Array.from(root.getElementsByTagNameNS("*", "*"))];
  return elements
    .flatMap(({ attributes }) => Array.from(attributes))
    .filter(({ localName, value }) => localName.toLowerCase() === "id" && value === id).length;
}

function hasComment(element: Element): boolean {
  return Array.from(element.childNodes).some(
    (node) => node.nodeType === commentNode || (node.nodeType === elementNode && hasComment(node as Element)),
  );
}

const elementNode = 1;
const commentNode = 8;

const isNamed = (element: Element | undefined, name: string): element is Element =>
  element?.namespaceURI === namespaces.signature && element.localName === name;
