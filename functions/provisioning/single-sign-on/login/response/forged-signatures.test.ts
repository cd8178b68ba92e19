import { createHash, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { SignedXml } from "xml-crypto";
import { algorithms, sharedKey, signElement } from "../../../../../test/support/saml.ts";
import {
  edited,
  type Forge,
  fields,
  newScene,
  refuses,
  signedBy,
  tampered,
  verdictOn,
} from "../../../../../test/support/saml-forgeries.ts";
import {
  dissect,
  forged,
  insertInto,
  mallory,
  victim,
  wrappings,
} from "../../../../../test/support/saml-wrapping.ts";

const refused = "bad-response-signature";
const elsewhere = "https://elsewhere.example.com";

/** Rearrange the parts of a response. */
const rearrange =
  (combine: (parts: ReturnType<typeof dissect>) => string): Forge =>
  ({ signed }) => {
    const parts = dissect(signed());
    return parts.head + combine(parts) + parts.tail;
  };

describe("the reader of responses, when a signature is wrapped,", () => {
  const inclusively = {
    canonicalization: algorithms.inclusive,
    transforms: [algorithms.enveloped, algorithms.inclusive],
  };
  refuses(
    Object.fromEntries(
      wrappings.flatMap(({ wrapping, signed: part, wrap }): [string, Forge][] => [
        [wrapping, ({ signed }) => wrap(signed({}, { signed: part }))],
        [`${wrapping}, inclusively`, ({ signed }) => wrap(signed({}, { signed: part, ...inclusively }))],
      ]),
    ),
    // Some are not responses: they have an assertion in a forbidden place, or without an id.
    /^bad-response-(saml|signature|xml)$/,
  );
});

describe("the reader of responses, when a signature is missing or elsewhere,", () => {
  const subject = { xpath: "//*[local-name(.)='Subject']" };
  const withId = (element: string, options: Parameters<typeof edited>[2]) =>
    edited(`<saml:${element}`, `<saml:${element} ID="_part"`, options);

  refuses(
    {
      "a response without a signature, because anybody could have written it": signedBy({
        signed: "nothing",
      }),
      "a signature of the response only, because each assertion has a signature of its own": signedBy({
        signed: "response",
      }),
      "a changed name, because the digest is another": tampered(mallory, victim),
      "an empty signature value, because nothing was signed": tampered(/(<ds:SignatureValue>)[^<]*/, "$1"),
      "a signature next to the assertion, because a signature is a child of what it signs": rearrange(
        ({ signature, bare }) => signature + bare,
      ),
      "a signature of the subject, because the signature is of the whole assertion": async (scene) =>
        String(await withId("Subject", { reference: subject })(scene)).replace(
          "<saml:AuthnStatement",
          '<saml:AuthnStatement SessionNotOnOrAfter="2099-01-01T00:00:00Z"',
        ),
      "a signature of the conditions, with another name, because the signature is of the whole assertion":
        async (scene) => {
          const reference = { xpath: "//*[local-name(.)='Conditions']" };
          return String(await withId("Conditions", { reference })(scene)).replace(mallory, victim);
        },
      "a signature of the whole document by an empty reference, because a signature names the assertion by its id":
        signedBy({ reference: { xpath: "/*", uri: "", isEmptyUri: true } }),
      "a signature of the assertion and of something else, because a signature has one reference": withId(
        "Subject",
        {
          prepare: (signer) =>
            signer.addReference({
              ...subject,
              digestAlgorithm: algorithms.sha256,
              transforms: [algorithms.exclusive],
            }),
        },
      ),
      "a second signature, by the attacker, because an assertion has one signature": async ({ signed }) =>
        signElement(signed(), "Assertion", { key: await sharedKey("attacker") }),
      "a first signature, by the attacker, because an assertion has one signature": async ({
        signed,
        provider: { key },
      }) => signElement(signed({}, { key: await sharedKey("attacker") }), "Assertion", { key }),
      "a signature by reference to a document elsewhere, because references lead nowhere else": tampered(
        /URI="#[^"]*"/,
        `URI="${elsewhere}/reference"`,
      ),
      "a signature by a pointer to the id, because references are plain ids": tampered(
        /URI="#([^"]*)"/,
        `URI="#xpointer(id('$1'))"`,
      ),
      "an id that is quoted to break out of a query, because ids are not parts of queries": rearrange(
        ({ assertion, bare }) => {
          const id = "x' or '1'='1";
          const forgery = forged(assertion).replace(/ID="_forged"/, `ID="${id}"`);
          return forgery.replace(/URI="#[^"]*"/, `URI="#${id}"`) + bare;
        },
      ),
    },
    refused,
  );

  refuses(
    {
      "a signature deep inside of the assertion, because a signature is a child of what it signs": rearrange(
        ({ signature, bare }) => insertInto(bare, "saml:Subject", signature),
      ),
      "a signature in another namespace, because it is no signature": tampered(
        "http://www.w3.org/2000/09/xmldsig#",
        "http://www.w3.org/2000/09/xmldsig-more#",
      ),
    },
    "bad-response-xml",
  );
});

describe("the reader of responses, when somebody else has signed,", () => {
  const byAttacker = async () => ({ key: await sharedKey("attacker") });

  refuses(
    {
      "a signature by another key, because the provider does not have it": async ({ signed }) =>
        signed({}, await byAttacker()),
      "a signature by another key, with its certificate, because a document does not say whom to trust":
        async ({ signed }) => {
          const { key } = await byAttacker();
          return signed({}, { key, certificate: key.certificate });
        },
      "a signature by another key, with the certificate of the provider, because the certificate does not make the signature valid":
        async ({ signed, provider }) =>
          signed({}, { ...(await byAttacker()), certificate: provider.key.certificate }),
      "a signature whose key is to be fetched, because nothing is fetched": async ({ signed }) =>
        insertInto(
          signed({}, await byAttacker()),
          "ds:Signature",
          `<ds:KeyInfo><ds:RetrievalMethod URI="${elsewhere}/key"/></ds:KeyInfo>`,
        ),
    },
    refused,
  );
});

/** A transform that leaves everything as it is, under the name of another. */
const pretendTransform = (name: string) => (signer: SignedXml) => {
  signer.CanonicalizationAlgorithms[name] = class {
    process = (node: Node) => node;
    getAlgorithmName = () => name;
  };
};

const pretendDigest = (name: string, algorithm: string) => (signer: SignedXml) => {
  signer.HashAlgorithms[name] = class {
    getHash = (xml: string) => createHash(algorithm).update(xml).digest("base64");
    getAlgorithmName = () => name;
  };
};

const pretendSignature = (name: string, value: (info: string) => string) => (signer: SignedXml) => {
  signer.SignatureAlgorithms[name] = class {
    getSignature = (info: unknown) => value(String(info));
    verifySignature = () => false;
    getAlgorithmName = () => name;
  };
};

describe("the reader of responses, when an algorithm is not allowed,", () => {
  const xslt = "http://www.w3.org/TR/1999/REC-xslt-19991116";
  const xpath = "http://www.w3.org/TR/1999/REC-xpath-19991116";
  const ecdsa = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256";
  const dsa = "http://www.w3.org/2000/09/xmldsig#dsa-sha1";
  const md5 = "http://www.w3.org/2001/04/xmldsig-more#md5";
  const transformedBy = (transform: string) =>
    signedBy({
      transforms: [algorithms.enveloped, transform, algorithms.exclusive],
      prepare: pretendTransform(transform),
    });

  refuses(
    {
      "an HMAC with the public certificate as its secret, because everybody has the certificate": ({
        signed,
        provider: { key },
      }) =>
        signed(
          {},
          {
            key: { ...key, privateKey: key.certificate },
            signatureAlgorithm: algorithms.hmacSha1,
            prepare: (signer) => signer.enableHMAC(),
          },
        ),
      "the signature algorithm none, because nothing was signed": signedBy({
        signatureAlgorithm: "none",
        prepare: pretendSignature("none", () => ""),
      }),
      "ECDSA with a key of the attacker, because only RSA is known": async ({ signed }) => {
        const { privateKey } = await sharedKey("elliptic", { keyType: "ec" });
        const key = { key: privateKey, dsaEncoding: "ieee-p1363" } as const;
        const prepare = pretendSignature(ecdsa, (info) =>
          sign("sha256", Buffer.from(info), key).toString("base64"),
        );
        return signed({}, { signatureAlgorithm: ecdsa, prepare });
      },
      "an RSA signature that claims to be one of DSA, because only RSA is known": ({ signed, provider }) => {
        const prepare = pretendSignature(dsa, (info) =>
          sign("sha1", Buffer.from(info), provider.key.privateKey).toString("base64"),
        );
        return signed({}, { signatureAlgorithm: dsa, prepare });
      },
      "RSA with SHA-512, because signatures are with SHA-256 or, for old providers, with SHA-1": signedBy({
        signatureAlgorithm: algorithms.rsaSha512,
      }),
      "a digest by MD5, because collisions can be computed": signedBy({
        digestAlgorithm: md5,
        prepare: pretendDigest(md5, "md5"),
      }),
      "a transform by a style sheet, because it may turn anything into what was signed": transformedBy(xslt),
      "a transform by a query, because it may leave out what was not signed": transformedBy(xpath),
      "a canonical form by a style sheet, because it may turn anything into what was signed": tampered(
        /(CanonicalizationMethod Algorithm=")[^"]*/,
        `$1${xslt}`,
      ),
      "many transforms, because each of them costs time": signedBy({
        transforms: [algorithms.enveloped, ...Array<string>(50).fill(algorithms.exclusive)],
      }),
    },
    refused,
  );

  it("refuses a provider whose only key is not RSA", async () => {
    const scene = await newScene();
    const key = await sharedKey("elliptic", { keyType: "ec" });
    const xml = await fields({}, { signed: "nothing" })(scene);
    expect(verdictOn({ ...scene, provider: { ...scene.provider, key } }, String(xml))).toBe(
      "invalid-certificate",
    );
  });
});
