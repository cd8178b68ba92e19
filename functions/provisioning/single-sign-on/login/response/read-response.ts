import type { NameId } from "#shared/accounts/provisioned-identity.ts";
import { XmlError } from "../../check-markup.ts";
import { childElements, childrenNamed, parseXml } from "../../parse-xml.ts";
import { type Attributes, readAttributes } from "./attributes.ts";
import { checkNameId } from "./name-id.ts";
import { bearerMethod, namespaces } from "./names.ts";

/** A confirmation of the subject (SAML core 2.4.1.2). Times are Unix milliseconds. */
export interface Confirmation {
  readonly inResponseTo: string | undefined;
  readonly recipient: string;
  readonly notBefore: number | undefined;
  readonly notOnOrAfter: number;
}

/** How the subject logged in at the identity provider (SAML core 2.7.2). */
interface Authentication {
  readonly instant: number;
  readonly sessionNotOnOrAfter: number | undefined;
}

/** The parts of an assertion that matter (SAML core 2.3.3). */
export interface Assertion {
  readonly id: string | undefined;
  readonly issuer: string;
  readonly issueInstant: number;
  readonly nameId: NameId;
  /** The text of the name with the white space around it, under which earlier versions knew the user. */
  readonly sentName: string;
  readonly confirmations: readonly Confirmation[];
  readonly notBefore: number | undefined;
  readonly notOnOrAfter: number | undefined;
  /** The audiences of each restriction. */
  readonly audiences: readonly (readonly string[])[];
  readonly authentications: readonly Authentication[];
}

/** The status of the login, as the identity provider reports it (SAML core 3.2.2). */
interface Status {
  readonly isSuccess: boolean;
  /** Its codes and its message, for the log. */
  readonly words: string;
}

/** A response without assertions: the identity provider has let nobody in. Nothing of it is signed. */
export interface FailureResponse {
  readonly status: Status;
  /** The login that it seems to answer. */
  readonly inResponseTo: string | undefined;
}

/** A response (SAML core 3.3.3), nothing of which is trusted yet. */
export interface Response {
  readonly issuer: string | undefined;
  readonly status: Status;
  readonly assertions: readonly [Assertion, ...Assertion[]];
  /** The elements of the assertions, in the same order. */
  readonly elements: readonly Element[];
}

/** Room for a person in thousands of groups; see `markupLimits`, too. */
const limits = { maxLength: 1024 * 1024 };
/** A canonical form can be longer than the document, where it repeats declarations. */
const signedLimits = { maxLength: 4 * 1024 * 1024 };
const maxAssertions = 4;

/**
 * Read a response strictly: anything that the service does not understand is an error.
 * @throws XmlError
 */
export function readResponse(xml: string): Response | FailureResponse {
  const root = parseXml(xml, limits);
  if (!isNamed(root, namespaces.protocol, "Response")) throw new XmlError("not a Response");
  checkVersion(root);
  checkChildren(root, responseParts);
  const status = readStatus(onlyChild(root, namespaces.protocol, "Status"));
  const issuer = optionalChild(root, namespaces.assertion, "Issuer");
  const elements = assertionsOf(root);
  const [first, ...others] = elements.map(readAssertion);
  if (first === undefined) {
    if (status.isSuccess) throw new XmlError("no assertion");
    return { status, inResponseTo: root.getAttribute("InResponseTo") || undefined };
  }
  return {
    issuer: issuer && textOf(issuer).trim(),
    status,
    assertions: [first, ...others],
    elements,
  };
}

/**
 * Read the signed text of an assertion.
 * @throws XmlError
 */
export function readSignedAssertion(xml: string): { assertion: Assertion; attributes: Attributes } {
  const root = parseXml(xml, signedLimits);
  if (!isNamed(root, namespaces.assertion, "Assertion")) throw new XmlError("not an Assertion");
  return { assertion: readAssertion(root), attributes: readAttributes(root) };
}

const statusPrefix = "urn:oasis:names:tc:SAML:2.0:status:";
const maxWordsLength = 300;

function readStatus(element: Element): Status {
  const code = onlyChild(element, namespaces.protocol, "StatusCode");
  const detail = optionalChild(code, namespaces.protocol, "StatusCode");
  const message = optionalChild(element, namespaces.protocol, "StatusMessage");
  const values = [code, detail].flatMap((each) => each?.getAttribute("Value") ?? []);
  const words = [...values.map((value) => value.replace(statusPrefix, "")), message?.textContent ?? ""]
    .map((word) => word.replaceAll(/[\s\p{C}]+/gu, " ").trim())
    .filter((word) => word !== "");
  return {
    isSuccess: values[0] === `${statusPrefix}Success`,
    words: words.join(": ").slice(0, maxWordsLength).toWellFormed(),
  };
}

/** Elements that may be in others, by namespace, and whether they may be repeated. */
const responseParts = {
  [namespaces.protocol]: ["Extensions", "Status"],
  [namespaces.assertion]: ["Issuer", "Assertion"],
  [namespaces.signature]: ["Signature"],
};
const assertionParts = {
  [namespaces.assertion]: [
    "Issuer",
    "Subject",
    "Conditions",
    "Statement",
    "AuthnStatement",
    "AuthzDecisionStatement",
    "AttributeStatement",
  ],
  [namespaces.signature]: ["Signature"],
};
const subjectParts = { [namespaces.assertion]: ["NameID", "SubjectConfirmation"] };
const confirmationParts = { [namespaces.assertion]: ["SubjectConfirmationData"] };
/** `OneTimeUse` applies to every assertion anyway. */
const conditionParts = { [namespaces.assertion]: ["AudienceRestriction", "OneTimeUse"] };

/** Signature wrapping hides assertions in other places than directly in the response. */
function assertionsOf(root: Element): Element[] {
  const assertions = childrenNamed(root, namespaces.assertion, "Assertion");
  if (assertions.length > maxAssertions) throw new XmlError("too many assertions");
  if (root.getElementsByTagNameNS("*", "Assertion").length !== assertions.length)
    throw new XmlError("an assertion within something else");
  return assertions;
}

function readAssertion(element: Element): Assertion {
  checkVersion(element);
  checkChildren(element, assertionParts);
  const subject = onlyChild(element, namespaces.assertion, "Subject");
  checkChildren(subject, subjectParts);
  const conditions = optionalChild(element, namespaces.assertion, "Conditions");
  if (conditions !== undefined) checkChildren(conditions, conditionParts);
  const statements = childrenNamed(element, namespaces.assertion, "AuthnStatement");
  if (statements.length === 0) throw new XmlError("no AuthnStatement");
  const name = onlyChild(subject, namespaces.assertion, "NameID");
  return {
    id: element.getAttribute("ID") || undefined,
    issuer: textOf(onlyChild(element, namespaces.assertion, "Issuer")).trim(),
    issueInstant: requiredTime(element, "IssueInstant"),
    nameId: readNameId(name),
    sentName: textOf(name),
    confirmations: childrenNamed(subject, namespaces.assertion, "SubjectConfirmation").map(readConfirmation),
    notBefore: conditions && timeOf(conditions, "NotBefore"),
    notOnOrAfter: conditions && timeOf(conditions, "NotOnOrAfter"),
    audiences: conditions
      ? childrenNamed(conditions, namespaces.assertion, "AudienceRestriction").map(readAudiences)
      : [],
    authentications: statements.map((statement) => ({
      instant: requiredTime(statement, "AuthnInstant"),
      sessionNotOnOrAfter: timeOf(statement, "SessionNotOnOrAfter"),
    })),
  };
}

function readNameId(element: Element): NameId {
  const attribute = (name: string) => element.getAttribute(name)?.trim() || undefined;
  const nameId = {
    text: textOf(element).trim(),
    format: attribute("Format"),
    nameQualifier: attribute("NameQualifier"),
    spNameQualifier: attribute("SPNameQualifier"),
    spProvidedId: attribute("SPProvidedID"),
  };
  checkNameId(nameId);
  return nameId;
}

function readConfirmation(element: Element): Confirmation {
  if (element.getAttribute("Method") !== bearerMethod) throw new XmlError("a confirmation other than bearer");
  checkChildren(element, confirmationParts);
  const data = onlyChild(element, namespaces.assertion, "SubjectConfirmationData");
  const recipient = data.getAttribute("Recipient");
  if (!recipient) throw new XmlError("a confirmation without Recipient");
  return {
    inResponseTo: data.getAttribute("InResponseTo") || undefined,
    recipient,
    notBefore: timeOf(data, "NotBefore"),
    notOnOrAfter: requiredTime(data, "NotOnOrAfter"),
  };
}

const readAudiences = (restriction: Element): string[] =>
  childrenNamed(restriction, namespaces.assertion, "Audience").map((audience) => textOf(audience).trim());

function checkVersion(element: Element): void {
  if (element.getAttribute("Version") !== "2.0") throw new XmlError("not SAML 2.0");
}

function checkChildren(parent: Element, allowed: Readonly<Record<string, readonly string[]>>): void {
  for (const { namespaceURI, localName } of childElements(parent)) {
    if (allowed[namespaceURI ?? ""]?.includes(localName) !== true)
      throw new XmlError(`${parent.localName} has ${localName.slice(0, 64)}`);
  }
}

function onlyChild(parent: Element, namespace: string, name: string): Element {
  const child = optionalChild(parent, namespace, name);
  if (child === undefined) throw new XmlError(`${parent.localName} has no ${name}`);
  return child;
}

function optionalChild(parent: Element, namespace: string, name: string): Element | undefined {
  const [child, ...others] = childrenNamed(parent, namespace, name);
  if (others.length > 0) throw new XmlError(`${parent.localName} has several ${name}`);
  return child;
}

/** A comment would divide the text, and some readers use only the first part. */
function textOf(element: Element): string {
  const nodes = Array.from(element.childNodes);
  if (nodes.some(({ nodeType }) => nodeType !== textNode && nodeType !== characterData))
    throw new XmlError(`${element.localName} is not a plain text`);
  return nodes.map(({ nodeValue }) => nodeValue ?? "").join("");
}

const textNode = 3;
const characterData = 4;

/** SAML writes times in UTC, with or without a zone (SAML core 1.3.3). */
const timePattern = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,20}))?(Z|[+-]\d{2}:\d{2})?$/;

function timeOf(element: Element, name: string): number | undefined {
  if (!element.hasAttribute(name)) return undefined;
  const [, instant, fraction = "0", zone = "Z"] = timePattern.exec(element.getAttribute(name) ?? "") ?? [];
  const time = Date.parse(`${instant}.${fraction.slice(0, 3)}${zone}`);
  if (Number.isNaN(time)) throw new XmlError(`${name} is not a time`);
  return time;
}

function requiredTime(element: Element, name: string): number {
  const time = timeOf(element, name);
  if (time === undefined) throw new XmlError(`${element.localName} has no ${name}`);
  return time;
}

const isNamed = ({ namespaceURI, localName }: Element, namespace: string, name: string) =>
  namespaceURI === namespace && localName === name;
