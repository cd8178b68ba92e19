import { describe } from "vitest";
import { samlNames } from "../../../../../test/support/saml.ts";
import {
  edited,
  type Forge,
  fields,
  refuses,
  signedBy,
  tampered,
} from "../../../../../test/support/saml-forgeries.ts";
import { dissect, mallory, victim } from "../../../../../test/support/saml-wrapping.ts";

const refused = "bad-response-xml";
const elsewhere = "https://elsewhere.example.com";

/** Put a document type before the correct response. */
const typed =
  (type: string, change = (xml: string) => xml): Forge =>
  ({ signed }) =>
    `<!DOCTYPE samlp:Response${type}>${change(signed())}`;

/** Puts a definition of `&who;` before a signed document, whose signature is valid once the entity is replaced. */
const define = (definition: string) =>
  typed(` [${definition}]`, (xml) => xml.replace(`>${mallory}<`, ">&who;<"));
const nested = (level: number) => `<!ENTITY lol${level} "${`&lol${level - 1};`.repeat(10)}">`;

/** A name that the provider itself writes in this form. */
const named = (markup: string) => edited(`>${mallory}<`, `>${markup}<`);

const extended = (xml: string) => fields({ extensions: `<samlp:Extensions>${xml}</samlp:Extensions>` });

const encrypted =
  "<saml:EncryptedAssertion><xenc:EncryptedData xmlns:xenc='http://www.w3.org/2001/04/xmlenc#'/></saml:EncryptedAssertion>";

describe("the reader of responses, when a document has declarations,", () => {
  refuses(
    {
      "a document type, because no response needs one": typed(""),
      "a document type elsewhere, because nothing is fetched": typed(` SYSTEM "${elsewhere}/dtd"`),
      "an entity of its own, because what is read differs from what was signed": define(
        `<!ENTITY who "${mallory}">`,
      ),
      "an entity from a file, because files are nobody's business": define(
        '<!ENTITY who SYSTEM "file:///etc/passwd">',
      ),
      "an entity from elsewhere, because nothing is fetched": define(
        `<!ENTITY who SYSTEM "${elsewhere}/entity">`,
      ),
      "declarations from elsewhere, because nothing is fetched": typed(
        ` [<!ENTITY % all SYSTEM "${elsewhere}/all"> %all;]`,
      ),
      "a billion laughs, because nothing is expanded": define(
        `<!ENTITY lol0 "lol">${[1, 2, 3, 4, 5, 6, 7, 8, 9].map(nested).join("")}<!ENTITY who "&lol9;">`,
      ),
      "an entity that nobody has defined, because it has no meaning": tampered(
        `>${mallory}<`,
        `>${mallory}&who;<`,
      ),
      "a style sheet for the document, because instructions are nothing to follow": ({ signed }) =>
        `<?xml-stylesheet href="${elsewhere}/style"?>${signed()}`,
    },
    refused,
  );
});

describe("the reader of responses, when a name is not a plain text,", () => {
  refuses(
    {
      "an instruction, because texts on both sides of it may be taken for the name": tampered(
        `>${mallory}<`,
        `>${victim}<?end?>@example.com<`,
      ),
      "a comment that the provider has signed, because texts on both sides of it may be taken for the name":
        named(`${victim}<!-- -->@example.com`),
      "a comment that was added later, because canonical forms have no comments, and so the signature still holds":
        ({ signed }) =>
          signed({ nameId: { text: `${victim}.${mallory}` } }).replace(".mallory<", "<!-- -->.mallory<"),
      "an element, because a name is a text": named(`${mallory}<saml:b>${victim}</saml:b>`),
      "an inclusion, because nothing is included": named(
        '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" parse="text" href="file:///etc/passwd"/>',
      ),
      "an encrypted name, because there is no key to decrypt it": edited(
        /<saml:NameID.*<\/saml:NameID>/,
        "<saml:EncryptedID><x/></saml:EncryptedID>",
      ),
      "two names, because a subject has one": edited(
        "<saml:NameID",
        `<saml:NameID>${victim}</saml:NameID><saml:NameID`,
      ),
      "an empty name, because it names nobody": fields({ nameId: { text: "" } }),
      "a name in an unknown format, because it cannot be compared": fields({
        nameId: { text: mallory, format: "urn:example:format" },
      }),
      "an email address that is none, because its format says otherwise": fields({
        nameId: { text: mallory, format: samlNames.email },
      }),
      "a name in another namespace by the same prefix, because prefixes mean what they are bound to": edited(
        "<saml:NameID",
        '<saml:NameID xmlns:saml="urn:example:assertion"',
      ),
      "a null byte, because a text may end there": tampered(mallory, `${mallory}\0`),
      "a reference to the null character, signed by the provider, because XML has no such character": named(
        `${mallory}&#0;`,
      ),
    },
    refused,
  );
});

describe("the reader of responses, when elements are unknown, missing or repeated,", () => {
  const assertion = /<saml:Assertion .*<\/saml:Assertion>/s;

  refuses(
    {
      "an encrypted assertion, because there is no key to decrypt it": tampered(assertion, encrypted),
      "an encrypted assertion next to a signed one, because there is no key to decrypt it": tampered(
        assertion,
        `$&${encrypted}`,
      ),
      "two subjects, because an assertion has one": signedBy({
        edit: (xml) =>
          xml.replace(/<saml:Subject>.*<\/saml:Subject>/, (one) => one + one.replace(mallory, victim)),
      }),
      "an assertion in another namespace, because prefixes mean what they are bound to": ({ signed }) =>
        signed().replaceAll(samlNames.assertion, "urn:oasis:names:tc:SAML:1.0:assertion"),
      "a response in another namespace, because prefixes mean what they are bound to": ({ signed }) =>
        signed().replaceAll(samlNames.protocol, "urn:example:protocol"),
      "a prefix that is bound to nothing, because it has no meaning": tampered(
        ` xmlns:samlp="${samlNames.protocol}"`,
        "",
      ),
      "an attribute twice, because it is not well-formed": tampered(
        "<saml:Assertion ",
        '<saml:Assertion ID="_forged" ',
      ),
      "a second document after the first, because it is not well-formed": ({ signed }) => signed() + signed(),
      "a response inside of an envelope, because the response is the root": ({ signed }) =>
        `<e:Envelope xmlns:e="urn:example:e"><e:Body>${signed()}</e:Body></e:Envelope>`,
      "an assertion without a response, because the response is the root": ({ signed }) =>
        dissect(signed()).assertion.replace(
          "<saml:Assertion",
          `<saml:Assertion xmlns:saml="${samlNames.assertion}"`,
        ),
      "a response without an assertion, because it is about nobody": tampered(assertion, ""),
      "version 1.1, because its rules are others": fields({ version: "1.1" }),
      "an advice, because it may contain further assertions": edited(
        "</saml:Conditions>",
        "</saml:Conditions><saml:Advice/>",
      ),
      "an unknown condition, because it cannot be met": fields({
        moreConditions: '<saml:ProxyRestriction Count="0"/>',
      }),
      "a confirmation by a key that the subject has, because only bearers are known": fields({
        confirmationMethod: "urn:oasis:names:tc:SAML:2.0:cm:holder-of-key",
      }),
      "a confirmation for ever, because it could be used for ever": fields({
        confirmationNotOnOrAfter: null,
      }),
      "a confirmation for everybody, because another service could pass it on": fields({ recipient: null }),
      "no authentication, because the assertion does not say that anybody has logged in": edited(
        /<saml:AuthnStatement.*<\/saml:AuthnStatement>/,
        "",
      ),
    },
    refused,
  );
});

describe("the reader of responses, when a document is large or not XML,", () => {
  refuses(
    {
      "elements nested a thousand deep, because a stack has an end": extended(
        `${"<a>".repeat(1000)}${"</a>".repeat(1000)}`,
      ),
      "elements without end, because each of them costs time": extended("<a/>".repeat(60_000)),
      "a text of more than a megabyte, because no response is that long": extended("a".repeat(1_100_000)),
      "garbage, because it is no XML": () => "mallory was here",
      "half of a response, because it is not well-formed": ({ signed }) => signed().slice(0, 1500),
      "a response in UTF-16, because texts are in UTF-8": ({ signed }) =>
        Buffer.from(`\ufeff${signed()}`, "utf16le"),
      "bytes that are no characters, because they may vanish, or turn into others": ({ signed }) => {
        const [before = "", after = ""] = signed().split(mallory);
        const wrong = Buffer.of(0xff, 0xc0, 0xaf);
        return Buffer.concat([Buffer.from(before + mallory), wrong, Buffer.from(after)]);
      },
    },
    refused,
  );
});
