import type { KeyObject } from "node:crypto";
import { SignedXml } from "xml-crypto";
import { childElements } from "../../parse-xml.ts";
import { namespaces } from "./names.ts";

/** An assertion is not signed by the identity provider, or not in the only accepted way. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";
}

const enveloped = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
const inclusive = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
const exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#";
const canonicalizations = [inclusive, `${inclusive}#WithComments`, exclusive, `${exclusive}WithComments`];
const signatureMethods = [
  "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
];
const digestMethods = [
  "http://www.w3.org/2000/09/xmldsig#sha1",
  "http://www.w3.org/2001/04/xmlenc#sha256",
  "http://www.w3.org/2001/04/xmlenc#sha512",
];

/**
 * Verify the signature of an assertion (SAML core 5.4): it is the assertion's only one and its child, refers by id to
 * the assertion and nothing else, and was made with one of the keys. The key named in the signature is ignored.
 *
 * @param xml the document that the assertion is part of
 * @returns the text that was signed, in canonical form: nothing else of the document may be trusted
 * @throws SignatureError
 */
export function verifyAssertion(xml: string, assertion: Element, keys: readonly KeyObject[]): string {
  const signature = signatureOf(assertion);
  checkShape(signature, assertion);
  for (const key of keys) {
    const signed = signedText(xml, signature, key);
    if (signed !== undefined) return signed;
  }
  throw new SignatureError("none of the keys has made the signature");
}

/** The signed text, if the signature was made with the key. */
function signedText(xml: string, signature: Element, key: KeyObject): string | undefined {
  const verifier = new SignedXml({ publicCert: key });
  try {
    verifier.loadSignature(signature);
    if (!verifier.checkSignature(xml)) return undefined;
  } catch {
    // The library also reports a wrong signature in this way.
    return undefined;
  }
  const [signed, ...others] = verifier.getSignedReferences();
  return others.length === 0 ? signed : undefined;
}

function signatureOf(assertion: Element): Element {
  const [signature, ...others] = Array.from(
    assertion.getElementsByTagNameNS(namespaces.signature, "Signature"),
  );
  if (signature === undefined || others.length > 0 || signature.parentNode !== assertion)
    throw new SignatureError("not exactly one signature, which is a child of the assertion");
  return signature;
}

/**
 * Leaves the library nothing to choose: everything that it looks for must be in one place only, with an accepted value.
 */
function checkShape(signature: Element, assertion: Element): void {
  const id = assertion.getAttribute("ID") ?? "";
  if (!/^[^\s'"<>&#]{1,256}$/.test(id)) throw new SignatureError("an id that cannot be referred to");
  if (countIds(assertion.ownerDocument.documentElement, id) !== 1)
    throw new SignatureError("the id is not unique");

  const [info, value, ...keyInfo] = childElements(signature);
  const hasKeyInfo = keyInfo.length === 0 || (keyInfo.length === 1 && isNamed(keyInfo[0], "KeyInfo"));
  if (!isNamed(info, "SignedInfo") || !isNamed(value, "SignatureValue") || !hasKeyInfo)
    throw new SignatureError("an unusual signature");
  if (hasComment(info) || hasComment(value)) throw new SignatureError("a comment in the signature");

  const [canonicalization, method, reference, ...moreInfo] = childElements(info);
  checkMethod(canonicalization, "CanonicalizationMethod", canonicalizations);
  checkMethod(method, "SignatureMethod", signatureMethods);
  if (!isNamed(reference, "Reference") || moreInfo.length > 0)
    throw new SignatureError("not exactly one reference");
  if (reference.getAttribute("URI") !== `#${id}`) throw new SignatureError("a reference to something else");

  const [transforms, digest, digestValue, ...moreReference] = childElements(reference);
  if (!isNamed(transforms, "Transforms") || !isNamed(digestValue, "DigestValue") || moreReference.length > 0)
    throw new SignatureError("an unusual reference");
  checkMethod(digest, "DigestMethod", digestMethods);
  const [first, second, ...moreTransforms] = childElements(transforms);
  checkMethod(first, "Transform", [enveloped]);
  if (second !== undefined) checkMethod(second, "Transform", canonicalizations);
  if (moreTransforms.length > 0) throw new SignatureError("too many transforms");
}

/** A method may contain nothing but the prefixes of a canonicalization. */
function checkMethod(element: Element | undefined, name: string, algorithms: readonly string[]): void {
  if (!isNamed(element, name) || !algorithms.includes(element.getAttribute("Algorithm") ?? ""))
    throw new SignatureError(`a ${name} that is not accepted`);
  const [prefixes, ...others] = childElements(element);
  const isPlain =
    prefixes === undefined ||
    (prefixes.namespaceURI === exclusive &&
      prefixes.localName === "InclusiveNamespaces" &&
      prefixes.childNodes.length === 0);
  if (!isPlain || others.length > 0) throw new SignatureError(`a ${name} with parameters`);
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
