import { describe, expect, it } from "vitest";
import { ApiError } from "#shared/platform/http/api-error.ts";
import {
  certificateText,
  keyDescriptor,
  newIdentityProvider,
  sharedKey,
} from "../../../../test/support/saml.ts";
import { parseMetadata } from "./parse-metadata.ts";
import { metadataBody } from "./routes.ts";

/** Pseudo-random numbers, the same in each run. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

const idp = await newIdentityProvider();
const xml = idp.metadata();
const invalid = expect.objectContaining({ error: "invalid-metadata" });

/** Insertions into a document: every construct of XML, and characters that XML does not allow. */
const pieces =
  '< > </ /> & ; " \' = <!-- --> <![CDATA[ ]]> <!DOCTYPE <? ?> &amp; &#0; &#x110000; &x; xmlns: xmlns="" \u0000 \ud800 \u2028 \ufeff ds: md: é'.split(
    " ",
  );

describe("parsing metadata", () => {
  it("returns its content", () => {
    expect(parseMetadata(xml)).toEqual({
      issuer: idp.issuer,
      requestUri: idp.requestUri,
      certificates: [certificateText(idp.key)],
    });
  });

  it.each<[string, (certificate: string) => string]>([
    ["lines", (text) => text.replaceAll(/.{64}/g, "\r\n\t$&")],
    ["lines whose ends are escaped", (text) => text.replaceAll(/.{64}/g, "$&&#13;&#xA;")],
    ["a section of character data", (text) => `<![CDATA[${text}]]>`],
    ["the lines around it that files of certificates have", () => `\n${idp.key.certificate}\n`],
  ])("reads a certificate with %s", (_, write) => {
    const certificate = certificateText(idp.key);
    expect(parseMetadata(xml.replace(certificate, write(certificate)))).toEqual(parseMetadata(xml));
  });

  it.each([
    [
      "hundreds of types of claims",
      700,
      (index: number) =>
        `<auth:ClaimType Uri="http://schemas.example.com/claims/${index}" Optional="true" xmlns:auth="urn:auth"><auth:DisplayName>Claim ${index}</auth:DisplayName><auth:Description>What the provider says about claim ${index}</auth:Description></auth:ClaimType>`,
    ],
    [
      "hundreds of attributes",
      900,
      (index: number) =>
        `<saml:Attribute xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" Name="urn:oid:1.${index}" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:uri" FriendlyName="claim${index}"/>`,
    ],
  ])("reads metadata with %s", (_, count, write) => {
    const claims = Array.from({ length: count }, (_, index) => write(index)).join("");
    const role = `<md:RoleDescriptor>${claims}</md:RoleDescriptor>`;
    expect(parseMetadata(xml.replace("<md:IDP", `${role}<md:IDP`))).toEqual(parseMetadata(xml));
  });

  it.each([
    ["262144", `<!--${"x".repeat(257 * 1024)}-->`],
    ["15000", "<a/>".repeat(60_000)],
    ["40", `${"<a>".repeat(50)}${"</a>".repeat(50)}`],
  ])("names the limit that metadata exceeds: %s", (limit, inserted) => {
    expect(() => parseMetadata(xml.replace("<md:IDP", `${inserted}<md:IDP`))).toThrow(limit);
  });

  it("refuses everything else, and never fails in another way", () => {
    const random = numbers(2026);
    const upTo = (limit: number) => Math.floor(random.next().value * limit);
    let refused = 0;
    for (let run = 0; run < 800; run++) {
      let text = xml;
      for (let edit = upTo(3); edit >= 0; edit--) {
        const [start, length] = [upTo(text.length), upTo(2) * upTo(40)];
        text = text.slice(0, start) + (pieces[upTo(pieces.length)] ?? "") + text.slice(start + length);
      }
      try {
        const { issuer, requestUri, certificates } = parseMetadata(text);
        expect([issuer, requestUri].every((uri) => URL.canParse(uri))).toBe(true);
        expect(certificates.length).toBeGreaterThan(0);
      } catch (error) {
        refused++;
        if (!(error instanceof ApiError)) throw error;
        expect(error.error).toBe("invalid-metadata");
      }
    }
    expect(refused).toBeGreaterThan(300);
  });

  it.each([
    ["nothing", ""],
    ["white space", " "],
    ["an open tag", "<"],
    ["an element that does not end", "<a>"],
    ["an element of something else", "<a/>"],
    ["a text", "x"],
    ["an open brace", "{"],
    ["an empty object", "{}"],
    ["a list", "[]"],
    ["null", "null"],
    ["an object with a number", '{"value":1}'],
    ["an object with an element of something else", '{"value":"<a/>"}'],
    ["deep nesting", "<a>".repeat(20_000)],
    ["a control character", "\u0000"],
  ])("refuses a body with nothing but %s", (_, body) => {
    expect(() => parseMetadata(metadataBody.parse(body).value)).toThrow(invalid);
  });

  it.for([
    ["is not XML", () => "nothing"],
    ["is empty", () => " "],
    ["is JSON without metadata", () => '{"xml": "<a/>"}'],
    ["is not well-formed", (xml: string) => xml.replace("</md:IDPSSODescriptor>", "")],
    ["has text after its end", (xml: string) => `${xml}x`],
    ["has text before its start", (xml: string) => `x${xml}`],
    ["has a second root", (xml: string) => `${xml}<a/>`],
    ["has a document type", (xml: string) => xml.replace("?>", "?><!DOCTYPE a>")],
    [
      "has entities",
      (xml: string) =>
        xml
          .replace("?>", '?><!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>')
          .replace("idp-", "idp-&e;"),
    ],
    ["refers to an entity that XML lacks", (xml: string) => xml.replace("idp-", "idp-&nbsp;")],
    [
      "has an instruction",
      (xml: string) => xml.replace("<md:IDPSSO", '<?xml-stylesheet href="a"?><md:IDPSSO'),
    ],
    ["is of another kind", (xml: string) => xml.replaceAll("IDPSSODescriptor", "SPSSODescriptor")],
    ["is in another namespace", (xml: string) => xml.replace("SAML:2.0:metadata", "SAML:2.0:protocol")],
    ["has no issuer", (xml: string) => xml.replace(/ entityID="[^"]*"/, "")],
    ["has an issuer that is not a URI", (xml: string) => xml.replace(/entityID="[^"]*"/, 'entityID="idp"')],
    ["has half a character in its issuer", (xml: string) => xml.replace('/metadata"', '/&#xd800;"')],
    [
      "has a long issuer",
      (xml: string) => xml.replace(/entityID="[^"]*"/, `entityID="urn:idp:${"x".repeat(1020)}"`),
    ],
    ["has a relative address", (xml: string) => xml.replace(/Location="[^"]*"/, 'Location="/login"')],
    ["has no address", (xml: string) => xml.replace(/ Location="[^"]*"/, "")],
    [
      "has two addresses",
      (xml: string) => xml.replace(/<md:SingleSignOnService[^>]*>/, (endpoint) => endpoint + endpoint),
    ],
    ["has no key", (xml: string) => xml.replace(/<md:KeyDescriptor.*<\/md:KeyDescriptor>/, "")],
    ["has no certificate", (xml: string) => xml.replace(/<ds:X509Certificate>.*<\/ds:X509Certificate>/, "")],
    ["has something else as a certificate", (xml: string) => xml.replace(/>MII[^<]*</, ">TUlJ<")],
    [
      "has a file of two certificates",
      (xml: string) => xml.replace(/>MII[^<]*</, `>${idp.key.certificate}${idp.key.certificate}<`),
    ],
    ["has a certificate that is not base64", (xml: string) => xml.replace(">MII", ">%MII")],
    [
      "has two certificates of one key",
      (xml: string) =>
        xml.replace(
          /<ds:X509Certificate>.*<\/ds:X509Certificate>/,
          (certificate) => certificate + certificate,
        ),
    ],
    [
      "has nine keys",
      (xml: string) => xml.replace(/<md:KeyDescriptor.*<\/md:KeyDescriptor>/, (key) => key.repeat(9)),
    ],
    ["has elements without end", (xml: string) => xml.replace("<md:IDP", `${"<a/>".repeat(60_000)}<md:IDP`)],
    ["is deeply nested", (xml: string) => xml.replace("<md:IDP", `${"<a>".repeat(3000)}<md:IDP`)],
    ["is long", (xml: string) => `${xml}<!--${"x".repeat(257 * 1024)}-->`],
    ["has a character that XML does not allow", (xml: string) => xml.replace("idp-", "idp-\u0001")],
  ] as const)("refuses metadata that %s", ([, change]) => {
    expect(() => parseMetadata(metadataBody.parse(change(xml)).value)).toThrow(invalid);
  });

  it.for([
    ["an elliptic curve", { keyType: "ec" }],
    ["a certificate signed with SHA-1", { algorithm: "sha1" }],
    ["a certificate signed with SHA-512", { algorithm: "sha512" }],
    ["1024 bits", { keySize: 1024 }],
  ] as const)("refuses a key of %s", async ([name, options]) => {
    const keyDescriptors = keyDescriptor(await sharedKey(name, options));
    expect(() => parseMetadata(idp.metadata({ keyDescriptors }))).toThrow(invalid);
  });
});
