import { describe, expect, it } from "vitest";
import {
  algorithms,
  certificateText,
  encodeXml,
  finalizeLogin,
  initiateLogin,
  newIdentityProvider,
  type ResponseFields,
  type ResponseOptions,
  registerIdentityProvider,
  samlNames,
  sharedKey,
  verdictOf,
} from "../../support/saml.ts";
import { newTeam } from "../../support/teams.ts";

const minute = 60_000;

/** A response as some identity provider sends it. */
interface Variant {
  readonly variant: string;
  readonly fields?: () => Partial<ResponseFields>;
  readonly options?: () => ResponseOptions | Promise<ResponseOptions>;
  /** Write the field of the form. */
  readonly encode?: (xml: string) => string;
}

const edited =
  (edit: (xml: string) => string): Variant["options"] =>
  () => ({ edit });

/** Attributes about the groups of a person. */
function groups(count: number, write: (name: string) => string): string {
  const values = Array.from({ length: count }, (_, index) => write(`Group ${index}`)).join("");
  return `<saml:AttributeStatement><saml:Attribute Name="groups">${values}</saml:Attribute></saml:AttributeStatement>`;
}

const variants: readonly Variant[] = [
  { variant: "RSA with SHA-256" },
  {
    variant: "RSA with SHA-1, of an old provider",
    options: () => ({ signatureAlgorithm: algorithms.rsaSha1, digestAlgorithm: algorithms.sha1 }),
  },
  { variant: "a digest by SHA-512", options: () => ({ digestAlgorithm: algorithms.sha512 }) },
  {
    variant: "the inclusive canonical form",
    options: () => ({
      canonicalization: algorithms.inclusive,
      transforms: [algorithms.enveloped, algorithms.inclusive],
    }),
  },
  {
    variant: "a signature of the response besides that of the assertion",
    options: () => ({ signed: "both" }),
  },
  {
    variant: "the certificate in the signature",
    options: async () => ({ certificate: (await sharedKey("usual")).certificate }),
  },
  {
    variant: "a certificate in the signature that is not the provider's, though the key is",
    options: async () => ({ certificate: (await sharedKey("attacker")).certificate }),
  },
  {
    variant: "an XML declaration",
    options: edited((xml) => `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`),
  },
  { variant: "line breaks between elements", options: edited((xml) => xml.replaceAll("><", ">\n  <")) },
  {
    variant: "spaces between elements that were added after it was signed",
    options: () => ({ tamper: (xml) => xml.replaceAll("><", "> <") }),
  },
  {
    variant: "other prefixes",
    options: edited((xml) =>
      xml
        .replaceAll(/(<\/?)samlp:/g, "$1saml2p:")
        .replaceAll(/(<\/?)saml:/g, "$1saml2:")
        .replace("xmlns:samlp=", "xmlns:saml2p=")
        .replace("xmlns:saml=", "xmlns:saml2="),
    ),
  },
  {
    variant: "no prefixes",
    options: edited((xml) =>
      xml
        .replaceAll(/(<\/?)samlp?:/g, "$1")
        .replace(/ xmlns:samlp="([^"]*)" xmlns:saml="[^"]*"/, ' xmlns="$1"')
        .replaceAll(/<(Issuer|Assertion)/g, `<$1 xmlns="${samlNames.assertion}"`),
    ),
  },
  {
    variant: "attributes of the user",
    fields: () => ({
      moreStatements:
        '<saml:AttributeStatement><saml:Attribute Name="mail"><saml:AttributeValue xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xs="http://www.w3.org/2001/XMLSchema" xsi:type="xs:string">someone@example.com</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>',
    }),
  },
  {
    variant: "700 groups, each with its own declarations",
    fields: () => ({
      moreStatements: groups(
        700,
        (name) =>
          `<saml:AttributeValue xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">${name}</saml:AttributeValue>`,
      ),
    }),
  },
  {
    variant: "1,900 groups",
    fields: () => ({
      moreStatements: groups(1900, (name) => `<saml:AttributeValue>${name}</saml:AttributeValue>`),
    }),
  },
  {
    variant: "7,000 groups, which fill a megabyte",
    fields: () => ({
      moreStatements: groups(
        7000,
        (name) => `<saml:AttributeValue>CN=${name},${"OU=Groups,".repeat(7)}DC=example</saml:AttributeValue>`,
      ),
    }),
  },
  {
    variant: "groups whose canonical form exceeds a megabyte, since it repeats a declaration for each",
    options: () => ({
      edit: (xml) =>
        xml.replace(
          "<saml:Assertion ",
          '<saml:Assertion xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ',
        ),
    }),
    fields: () => ({
      moreStatements: groups(
        2000,
        (name) =>
          `<saml:AttributeValue xsi:type="xs:string">CN=${name}${",OU=Groups".repeat(44)}</saml:AttributeValue>`,
      ),
    }),
  },
  {
    variant: "the inclusive canonical form in both signatures, and declarations of the assertion",
    options: () => ({
      signed: "both",
      canonicalization: algorithms.inclusive,
      transforms: [algorithms.enveloped, algorithms.inclusive],
      edit: (xml) =>
        xml.replace("<saml:Assertion ", '<saml:Assertion xmlns:xs="http://www.w3.org/2001/XMLSchema" '),
    }),
  },
  { variant: "the condition of one use", fields: () => ({ moreConditions: "<saml:OneTimeUse/>" }) },
  {
    variant: "another destination, which is not signed",
    fields: () => ({ destination: "https://elsewhere.example.com" }),
  },
  { variant: "no destination", fields: () => ({ destination: null }) },
  {
    variant: "extensions",
    fields: () => ({ extensions: '<samlp:Extensions><x xmlns="urn:example:x"/></samlp:Extensions>' }),
  },
  {
    variant: "a clock that is half a minute ahead",
    fields: () => ({
      issueInstant: Date.now() + minute / 2,
      authnInstant: Date.now() + minute / 2,
      notBefore: Date.now() + minute / 2,
    }),
  },
  {
    variant: "a clock that is half a minute behind",
    fields: () => ({
      notOnOrAfter: Date.now() - minute / 2,
      confirmationNotOnOrAfter: Date.now() - minute / 2,
    }),
  },
  { variant: "no beginning of its validity", fields: () => ({ notBefore: null }) },
  {
    variant: "a persistent name",
    fields: () => ({ nameId: { text: "a-b-c", format: samlNames.persistent } }),
  },
  {
    variant: "an entity as name",
    fields: () => ({ nameId: { text: "https://example.com/a", format: samlNames.entity } }),
  },
  { variant: "a name without format", fields: () => ({ nameId: { text: "a b c" } }) },
  {
    variant: "a name with escaped characters",
    fields: () => ({ nameId: { text: `<"Tom" & 'Jerry'>` } }),
  },
  { variant: "a name beyond the basic plane", fields: () => ({ nameId: { text: "Ада 🚲" } }) },
  {
    variant: "base64 in lines",
    encode: (xml) => encodeXml(xml).replaceAll(/.{76}/g, "$&\r\n"),
  },
];

describe.concurrent("a genuine response logs in", () => {
  it.for(variants)("with $variant", async ({ fields, options, encode = encodeXml }) => {
    const { id: teamId } = await newTeam();
    const provider = await newIdentityProvider();
    const registered = await registerIdentityProvider(provider, teamId);
    const request = await initiateLogin(registered);
    const response = provider.signed(request, fields?.(), await options?.());
    const answer = await finalizeLogin(registered, encode(response));
    expect(`${answer.status} ${verdictOf(answer)}`).toBe("200 success");
    expect(answer.cookie).toBeDefined();
  });

  it("with any of the keys of its provider", async () => {
    const { id: teamId } = await newTeam();
    const keys = await Promise.all([sharedKey("usual"), sharedKey("attacker")]);
    const provider = await newIdentityProvider();
    const registered = await registerIdentityProvider(provider, teamId, {
      certificates: [keys[0], ...keys].map(certificateText),
    });
    for (const key of keys) {
      const response = provider.respond(await initiateLogin(registered), {}, { key });
      expect(verdictOf(await finalizeLogin(registered, response))).toBe("success");
    }
  });
});
