import { createHash, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SignedXml } from "xml-crypto";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import { api } from "../../support/api.ts";
import {
  algorithms,
  encodeXml,
  finalizeLogin,
  initiateLogin,
  type LoginRequest,
  newIdentityProvider,
  type ResponseFields,
  type ResponseOptions,
  registerIdentityProvider,
  samlNames,
  sharedKey,
  signElement,
  type TestIdentityProvider,
  verdictOf,
} from "../../support/saml.ts";
import { dissect, forged, insertInto, mallory, victim, wrappings } from "../../support/saml-wrapping.ts";
import { newTeam } from "../../support/teams.ts";

const minute = 60_000;

/** A started login, before its response. */
interface Scene {
  readonly provider: TestIdentityProvider;
  readonly registered: IdentityProvider;
  readonly request: LoginRequest;
  /** A correct response about the attacker, apart from the changes. */
  readonly signed: (fields?: Partial<ResponseFields>, options?: ResponseOptions) => string;
}

interface Attack {
  readonly attack: string;
  /** Why it must be refused. */
  readonly because: string;
  /** Status and label of the refusal. */
  readonly refused: string | RegExp;
  /** XML, or bytes in its place. */
  readonly forge: (scene: Scene) => string | Uint8Array | Promise<string>;
}

async function setScene(): Promise<Scene & { owner: string; teamId: string }> {
  const { id: teamId, owner } = await newTeam();
  const provider = await newIdentityProvider();
  const registered = await registerIdentityProvider(provider, teamId);
  const request = await initiateLogin(registered);
  return {
    provider,
    registered,
    request,
    signed: (fields, options) => provider.signed(request, { nameId: { text: mallory }, ...fields }, options),
    owner: owner.token,
    teamId,
  };
}

/** Number of members of a team. */
async function sizeOf(teamId: string, token: string): Promise<number> {
  const { body } = await api("GET", `/teams/${teamId}/members`, { token });
  return body.members.length;
}

const describeAnswer = (answer: Awaited<ReturnType<typeof finalizeLogin>>) =>
  `${answer.status} ${verdictOf(answer)}`;

/** A server that no document may make the service call. */
let trap: Server;
const calls: (string | undefined)[] = [];
const trapUrl = () => `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;

beforeAll(async () => {
  trap = createServer(({ url }, response) => {
    calls.push(url);
    response.end("<!ENTITY trapped 'trapped'>");
  }).listen(0, "127.0.0.1");
  await once(trap, "listening");
});
afterAll(() => {
  trap.close();
  expect(calls).toEqual([]);
});

/** Send each forgery, then the genuine response: a refusal must not cost anybody their login. */
function refuseAll(attacks: readonly Attack[]) {
  it.for(attacks)("$attack: $because", async ({ refused, forge }) => {
    const { owner, teamId, ...scene } = await setScene();
    const answer = await finalizeLogin(scene.registered, encodeXml(await forge(scene)));
    expect(describeAnswer(answer)).toMatch(
      typeof refused === "string" ? new RegExp(`^${refused}$`) : refused,
    );
    expect(answer.setCookie).toBeUndefined();
    expect(answer.body).not.toContain(victim);
    expect(await sizeOf(teamId, owner)).toBe(1);

    const genuine = await finalizeLogin(scene.registered, encodeXml(scene.signed()));
    expect(describeAnswer(genuine)).toBe("200 success");
  });
}

/** Rearrange the parts of a response. */
const rearrange =
  (combine: (parts: ReturnType<typeof dissect>) => string): Attack["forge"] =>
  ({ signed }) => {
    const parts = dissect(signed());
    return parts.head + combine(parts) + parts.tail;
  };

describe.concurrent("signature wrapping", () => {
  refuseAll(
    wrappings.map(({ wrapping, signed: part, wrap }) => ({
      attack: wrapping,
      because: "only what the signature covers counts",
      // Some are not responses: they have an assertion in a forbidden place, or without an id.
      refused: /^400 bad-response-(saml|signature|xml)$/,
      forge: ({ signed }) => wrap(signed({}, { signed: part })),
    })),
  );
});

describe.concurrent("a signature elsewhere", () => {
  const refused = "400 bad-response-signature";
  refuseAll([
    {
      attack: "no signature at all",
      because: "anybody could have written it",
      refused,
      forge: ({ signed }) => signed({}, { signed: "nothing" }),
    },
    {
      attack: "only the response is signed",
      because: "each assertion has a signature of its own",
      refused,
      forge: ({ signed }) => signed({}, { signed: "response" }),
    },
    {
      attack: "a changed name",
      because: "the digest is another",
      refused,
      forge: ({ signed }) => signed().replace(mallory, victim),
    },
    {
      attack: "an empty signature value",
      because: "nothing was signed",
      refused,
      forge: ({ signed }) => signed().replace(/(<ds:SignatureValue>)[^<]*/, (_, tag) => `${tag}`),
    },
    {
      attack: "a signature of the assertion beside it",
      because: "a signature is a child of what it signs",
      refused,
      forge: rearrange(({ signature, bare }) => signature + bare),
    },
    {
      attack: "a signature of the assertion deep inside of it",
      because: "a signature is a child of what it signs",
      refused: "400 bad-response-xml",
      forge: rearrange(({ signature, bare }) => insertInto(bare, "saml:Subject", signature)),
    },
    {
      attack: "a signature of the subject only",
      because: "the signature is of the whole assertion",
      refused,
      forge: ({ signed }) =>
        signed(
          {},
          {
            edit: (xml) => xml.replace("<saml:Subject>", '<saml:Subject ID="_subject">'),
            reference: { xpath: "//*[local-name(.)='Subject']" },
          },
        ).replace("<saml:AuthnStatement", '<saml:AuthnStatement SessionNotOnOrAfter="2099-01-01T00:00:00Z"'),
    },
    {
      attack: "a signature of the conditions only, with another name",
      because: "the signature is of the whole assertion",
      refused,
      forge: ({ signed }) =>
        signed(
          {},
          {
            edit: (xml) => xml.replace("<saml:Conditions", '<saml:Conditions ID="_conditions"'),
            reference: { xpath: "//*[local-name(.)='Conditions']" },
          },
        ).replace(mallory, victim),
    },
    {
      attack: "a signature of the whole document by an empty reference",
      because: "a signature names the assertion by its id",
      refused,
      forge: ({ signed }) => signed({}, { reference: { xpath: "/*", uri: "", isEmptyUri: true } }),
    },
    {
      attack: "a signature of the assertion and of something else",
      because: "a signature has one reference",
      refused,
      forge: ({ signed }) =>
        signed(
          {},
          {
            edit: (xml) => xml.replace("<saml:Subject>", '<saml:Subject ID="_subject">'),
            prepare: (signer) =>
              signer.addReference({
                xpath: "//*[local-name(.)='Subject']",
                digestAlgorithm: algorithms.sha256,
                transforms: [algorithms.exclusive],
              }),
          },
        ),
    },
    {
      attack: "a second signature, by the attacker",
      because: "an assertion has one signature",
      refused,
      forge: async ({ signed }) => signElement(signed(), "Assertion", { key: await sharedKey("attacker") }),
    },
    {
      attack: "a first signature, by the attacker",
      because: "an assertion has one signature",
      refused,
      forge: async ({ signed, provider: { key } }) =>
        signElement(signed({}, { key: await sharedKey("attacker") }), "Assertion", { key }),
    },
    {
      attack: "a signature by reference to a document elsewhere",
      because: "references lead nowhere else",
      refused,
      forge: ({ signed }) => signed().replace(/URI="#[^"]*"/, `URI="${trapUrl()}/reference"`),
    },
    {
      attack: "a signature by a pointer to the id",
      because: "references are plain ids",
      refused,
      forge: ({ signed }) => signed().replace(/URI="#([^"]*)"/, `URI="#xpointer(id('$1'))"`),
    },
    {
      attack: "an assertion whose id is quoted to break out of a query",
      because: "ids are not parts of queries",
      refused,
      forge: rearrange(({ assertion, bare }) => {
        const id = "x' or '1'='1";
        return (
          forged(assertion)
            .replace(/ID="_forged"/, `ID="${id}"`)
            .replace(/URI="#[^"]*"/, `URI="#${id}"`) + bare
        );
      }),
    },
    {
      attack: "a signature in another namespace",
      because: "it is no signature",
      refused: "400 bad-response-xml",
      forge: ({ signed }) =>
        signed().replace("http://www.w3.org/2000/09/xmldsig#", "http://www.w3.org/2000/09/xmldsig-more#"),
    },
  ]);
});

describe.concurrent("a key of somebody else", () => {
  const refused = "400 bad-response-signature";
  refuseAll([
    {
      attack: "a signature by another key",
      because: "the provider does not have it",
      refused,
      forge: async ({ signed }) => signed({}, { key: await sharedKey("attacker") }),
    },
    {
      attack: "a signature by another key, with its certificate",
      because: "a document does not say whom to trust",
      refused,
      forge: async ({ signed }) => {
        const key = await sharedKey("attacker");
        return signed({}, { key, certificate: key.certificate });
      },
    },
    {
      attack: "a signature by another key, with the certificate of the provider",
      because: "the certificate does not make the signature valid",
      refused,
      forge: async ({ signed, provider }) =>
        signed({}, { key: await sharedKey("attacker"), certificate: provider.key.certificate }),
    },
    {
      attack: "a signature whose key is to be fetched",
      because: "nothing is fetched",
      refused,
      forge: async ({ signed }) =>
        insertInto(
          signed({}, { key: await sharedKey("attacker") }),
          "ds:Signature",
          `<ds:KeyInfo><ds:RetrievalMethod URI="${trapUrl()}/key"/></ds:KeyInfo>`,
        ),
    },
  ]);
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

describe.concurrent("an algorithm that is not allowed", () => {
  const refused = "400 bad-response-signature";
  const xslt = "http://www.w3.org/TR/1999/REC-xslt-19991116";
  const xpath = "http://www.w3.org/TR/1999/REC-xpath-19991116";
  const ecdsa = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256";
  const dsa = "http://www.w3.org/2000/09/xmldsig#dsa-sha1";
  const md5 = "http://www.w3.org/2001/04/xmldsig-more#md5";

  refuseAll([
    {
      attack: "an HMAC with the public certificate as its secret",
      because: "everybody has the certificate",
      refused,
      forge: ({ signed, provider: { key } }) =>
        signed(
          {},
          {
            key: { ...key, privateKey: key.certificate },
            signatureAlgorithm: algorithms.hmacSha1,
            prepare: (signer) => signer.enableHMAC(),
          },
        ),
    },
    {
      attack: "the signature algorithm none",
      because: "nothing was signed",
      refused,
      forge: ({ signed }) =>
        signed({}, { signatureAlgorithm: "none", prepare: pretendSignature("none", () => "") }),
    },
    {
      attack: "ECDSA with a key of the attacker",
      because: "only RSA is known",
      refused,
      forge: async ({ signed }) => {
        const { privateKey } = await sharedKey("elliptic", { keyType: "ec" });
        const prepare = pretendSignature(ecdsa, (info) =>
          sign("sha256", Buffer.from(info), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString(
            "base64",
          ),
        );
        return signed({}, { signatureAlgorithm: ecdsa, prepare });
      },
    },
    {
      attack: "an RSA signature that says to be one of DSA",
      because: "only RSA is known",
      refused,
      forge: ({ signed, provider }) =>
        signed(
          {},
          {
            signatureAlgorithm: dsa,
            prepare: pretendSignature(dsa, (info) =>
              sign("sha1", Buffer.from(info), provider.key.privateKey).toString("base64"),
            ),
          },
        ),
    },
    {
      attack: "RSA with SHA-512",
      because: "signatures are with SHA-256 or, for old providers, with SHA-1",
      refused,
      forge: ({ signed }) => signed({}, { signatureAlgorithm: algorithms.rsaSha512 }),
    },
    {
      attack: "a digest by MD5",
      because: "collisions can be computed",
      refused,
      forge: ({ signed }) => signed({}, { digestAlgorithm: md5, prepare: pretendDigest(md5, "md5") }),
    },
    {
      attack: "a transform by a style sheet",
      because: "it may turn anything into what was signed",
      refused,
      forge: ({ signed }) =>
        signed(
          {},
          {
            transforms: [algorithms.enveloped, xslt, algorithms.exclusive],
            prepare: pretendTransform(xslt),
          },
        ),
    },
    {
      attack: "a transform by a query",
      because: "it may leave out what was not signed",
      refused,
      forge: ({ signed }) =>
        signed(
          {},
          {
            transforms: [algorithms.enveloped, xpath, algorithms.exclusive],
            prepare: pretendTransform(xpath),
          },
        ),
    },
    {
      attack: "a canonical form by a style sheet",
      because: "it may turn anything into what was signed",
      refused,
      forge: ({ signed }) => signed().replace(/(CanonicalizationMethod Algorithm=")[^"]*/, `$1${xslt}`),
    },
    {
      attack: "many transforms",
      because: "each of them costs time",
      refused,
      forge: ({ signed }) =>
        signed(
          {},
          {
            transforms: [algorithms.enveloped, ...Array<string>(50).fill(algorithms.exclusive)],
          },
        ),
    },
  ]);

  it("a key that is not RSA, even if the provider has it: the provider cannot be used", async () => {
    const { id: teamId } = await newTeam();
    const provider = await newIdentityProvider({ key: await sharedKey("elliptic", { keyType: "ec" }) });
    const registered = await registerIdentityProvider(provider, teamId);
    const response = provider.unsigned(await initiateLogin(registered));
    expect(describeAnswer(await finalizeLogin(registered, encodeXml(response)))).toBe(
      "500 invalid-certificate",
    );
  });
});

describe.concurrent("a document with more than a response needs", () => {
  const refused = "400 bad-response-xml";
  /** A definition of `&who;` before a signed document whose signature holds when it is replaced. */
  const define =
    (definition: string): Attack["forge"] =>
    ({ signed }) =>
      `<!DOCTYPE samlp:Response [${definition}]>${signed().replace(`>${mallory}<`, ">&who;<")}`;
  const nested = (level: number): string => `<!ENTITY lol${level} "${`&lol${level - 1};`.repeat(10)}">`;
  const named =
    (markup: string): Attack["forge"] =>
    ({ signed }) =>
      signed({}, { edit: (xml) => xml.replace(`>${mallory}<`, `>${markup}<`) });

  refuseAll([
    {
      attack: "a document type",
      because: "no response needs one",
      refused,
      forge: ({ signed }) => `<!DOCTYPE samlp:Response>${signed()}`,
    },
    {
      attack: "a document type that is elsewhere",
      because: "nothing is fetched",
      refused,
      forge: ({ signed }) => `<!DOCTYPE samlp:Response SYSTEM "${trapUrl()}/dtd">${signed()}`,
    },
    {
      attack: "an entity of its own",
      because: "what is read differs from what was signed",
      refused,
      forge: define(`<!ENTITY who "${mallory}">`),
    },
    {
      attack: "an entity from a file",
      because: "files are nobody's business",
      refused,
      forge: define('<!ENTITY who SYSTEM "file:///etc/passwd">'),
    },
    {
      attack: "an entity from elsewhere",
      because: "nothing is fetched",
      refused,
      forge: ({ signed }) =>
        `<!DOCTYPE samlp:Response [<!ENTITY who SYSTEM "${trapUrl()}/entity">]>${signed().replace(mallory, "&who;")}`,
    },
    {
      attack: "declarations from elsewhere",
      because: "nothing is fetched",
      refused,
      forge: ({ signed }) =>
        `<!DOCTYPE samlp:Response [<!ENTITY % all SYSTEM "${trapUrl()}/all"> %all;]>${signed()}`,
    },
    {
      attack: "a billion laughs",
      because: "nothing is expanded",
      refused,
      forge: define(
        `<!ENTITY lol0 "lol">${[1, 2, 3, 4, 5, 6, 7, 8, 9].map(nested).join("")}<!ENTITY who "&lol9;">`,
      ),
    },
    {
      attack: "an entity that nobody has defined",
      because: "it has no meaning",
      refused,
      forge: ({ signed }) => signed().replace(`>${mallory}<`, `>${mallory}&who;<`),
    },
    {
      attack: "a style sheet for the document",
      because: "instructions are nothing to follow",
      refused,
      forge: ({ signed }) => `<?xml-stylesheet href="${trapUrl()}/style"?>${signed()}`,
    },
    {
      attack: "an instruction inside of the name",
      because: "texts on both sides of it may be taken for the name",
      refused,
      forge: ({ signed }) => signed().replace(`>${mallory}<`, `>${victim}<?end?>@example.com<`),
    },
    {
      attack: "a comment inside of the name, signed by the provider",
      because: "texts on both sides of it may be taken for the name",
      refused,
      forge: named(`${victim}<!-- -->@example.com`),
    },
    {
      attack: "a comment inside of the name, added later",
      because: "canonical forms have no comments, and so the signature still holds",
      refused,
      forge: ({ signed }) =>
        signed({ nameId: { text: `${victim}.${mallory}` } }).replace(".mallory<", "<!-- -->.mallory<"),
    },
    {
      attack: "an element inside of the name",
      because: "a name is a text",
      refused,
      forge: named(`${mallory}<saml:b>${victim}</saml:b>`),
    },
    {
      attack: "an inclusion inside of the name",
      because: "nothing is included",
      refused,
      forge: named(
        '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" parse="text" href="file:///etc/passwd"/>',
      ),
    },
    {
      attack: "an encrypted assertion",
      because: "there is no key to decrypt it",
      refused,
      forge: ({ signed }) =>
        signed().replace(
          /<saml:Assertion .*<\/saml:Assertion>/s,
          "<saml:EncryptedAssertion><xenc:EncryptedData xmlns:xenc='http://www.w3.org/2001/04/xmlenc#'/></saml:EncryptedAssertion>",
        ),
    },
    {
      attack: "an encrypted assertion beside one that is signed",
      because: "there is no key to decrypt it",
      refused,
      forge: rearrange(
        ({ assertion }) =>
          `${assertion}<saml:EncryptedAssertion><xenc:EncryptedData xmlns:xenc='http://www.w3.org/2001/04/xmlenc#'/></saml:EncryptedAssertion>`,
      ),
    },
    {
      attack: "an encrypted name",
      because: "there is no key to decrypt it",
      refused,
      forge: ({ signed }) =>
        signed(
          {},
          {
            edit: (xml) =>
              xml.replace(/<saml:NameID.*<\/saml:NameID>/, "<saml:EncryptedID><x/></saml:EncryptedID>"),
          },
        ),
    },
    {
      attack: "two names",
      because: "a subject has one",
      refused,
      forge: ({ signed }) =>
        signed(
          {},
          {
            edit: (xml) => xml.replace("<saml:NameID", `<saml:NameID>${victim}</saml:NameID><saml:NameID`),
          },
        ),
    },
    {
      attack: "two subjects",
      because: "an assertion has one",
      refused,
      forge: ({ signed }) =>
        signed(
          {},
          {
            edit: (xml) =>
              xml.replace(
                /<saml:Subject>.*<\/saml:Subject>/,
                (subject) => subject + subject.replace(mallory, victim),
              ),
          },
        ),
    },
    {
      attack: "an empty name",
      because: "it names nobody",
      refused,
      forge: ({ signed }) => signed({ nameId: { text: "" } }),
    },
    {
      attack: "a name in a format that is not known",
      because: "it cannot be compared",
      refused,
      forge: ({ signed }) => signed({ nameId: { text: mallory, format: "urn:example:format" } }),
    },
    {
      attack: "an email address that is none",
      because: "its format says otherwise",
      refused,
      forge: ({ signed }) => signed({ nameId: { text: mallory, format: samlNames.email } }),
    },
    {
      attack: "an assertion in another namespace",
      because: "prefixes mean what they are bound to",
      refused,
      forge: ({ signed }) =>
        signed().replaceAll(samlNames.assertion, "urn:oasis:names:tc:SAML:1.0:assertion"),
    },
    {
      attack: "a response in another namespace",
      because: "prefixes mean what they are bound to",
      refused,
      forge: ({ signed }) => signed().replaceAll(samlNames.protocol, "urn:example:protocol"),
    },
    {
      attack: "a prefix that is bound to nothing",
      because: "it has no meaning",
      refused,
      forge: ({ signed }) => signed().replace(` xmlns:samlp="${samlNames.protocol}"`, ""),
    },
    {
      attack: "a name in another namespace by the same prefix",
      because: "prefixes mean what they are bound to",
      refused,
      forge: ({ signed }) =>
        signed(
          {},
          {
            edit: (xml) => xml.replace("<saml:NameID", '<saml:NameID xmlns:saml="urn:example:assertion"'),
          },
        ),
    },
    {
      attack: "an attribute twice",
      because: "it is not well-formed",
      refused,
      forge: ({ signed }) => signed().replace("<saml:Assertion ", '<saml:Assertion ID="_forged" '),
    },
    {
      attack: "a second document after the first",
      because: "it is not well-formed",
      refused,
      forge: ({ signed }) => signed() + signed(),
    },
    {
      attack: "a response inside of an envelope",
      because: "the response is the root",
      refused,
      forge: ({ signed }) => `<e:Envelope xmlns:e="urn:example:e"><e:Body>${signed()}</e:Body></e:Envelope>`,
    },
    {
      attack: "an assertion without a response",
      because: "the response is the root",
      refused,
      forge: ({ signed }) =>
        dissect(signed()).assertion.replace(
          "<saml:Assertion",
          `<saml:Assertion xmlns:saml="${samlNames.assertion}"`,
        ),
    },
    {
      attack: "a response without an assertion",
      because: "it is about nobody",
      refused,
      forge: rearrange(() => ""),
    },
    {
      attack: "version 1.1",
      because: "its rules are others",
      refused,
      forge: ({ signed }) => signed({ version: "1.1" }),
    },
    {
      attack: "an advice",
      because: "it may contain further assertions",
      refused,
      forge: ({ signed }) =>
        signed(
          {},
          {
            edit: (xml) => xml.replace("</saml:Conditions>", "</saml:Conditions><saml:Advice/>"),
          },
        ),
    },
    {
      attack: "a condition that is not known",
      because: "it cannot be met",
      refused,
      forge: ({ signed }) => signed({ moreConditions: '<saml:ProxyRestriction Count="0"/>' }),
    },
    {
      attack: "a confirmation by a key that the subject has",
      because: "only bearers are known",
      refused,
      forge: ({ signed }) => signed({ confirmationMethod: "urn:oasis:names:tc:SAML:2.0:cm:holder-of-key" }),
    },
    {
      attack: "a confirmation for ever",
      because: "it could be used for ever",
      refused,
      forge: ({ signed }) => signed({ confirmationNotOnOrAfter: null }),
    },
    {
      attack: "a confirmation for everybody",
      because: "another service could pass it on",
      refused,
      forge: ({ signed }) => signed({ recipient: null }),
    },
    {
      attack: "no authentication",
      because: "the assertion does not say that anybody has logged in",
      refused,
      forge: ({ signed }) =>
        signed({}, { edit: (xml) => xml.replace(/<saml:AuthnStatement.*<\/saml:AuthnStatement>/, "") }),
    },
    {
      attack: "elements nested a thousand deep",
      because: "a stack has an end",
      refused,
      forge: ({ signed }) =>
        signed({
          extensions: `<samlp:Extensions>${"<a>".repeat(1000)}${"</a>".repeat(1000)}</samlp:Extensions>`,
        }),
    },
    {
      attack: "thousands of elements",
      because: "each of them costs time",
      refused,
      forge: ({ signed }) =>
        signed({ extensions: `<samlp:Extensions>${"<a/>".repeat(8000)}</samlp:Extensions>` }),
    },
    {
      attack: "a text of 150 KB",
      because: "no response is that long",
      refused,
      forge: ({ signed }) =>
        signed({ extensions: `<samlp:Extensions>${"a".repeat(150_000)}</samlp:Extensions>` }),
    },
    {
      attack: "garbage",
      because: "it is no XML",
      refused,
      forge: () => "mallory was here",
    },
    {
      attack: "half of a response",
      because: "it is not well-formed",
      refused,
      forge: ({ signed }) => signed().slice(0, 1500),
    },
    {
      attack: "a response in UTF-16",
      because: "texts are in UTF-8",
      refused,
      forge: ({ signed }) => Buffer.from(`\ufeff${signed()}`, "utf16le"),
    },
    {
      attack: "bytes that are no characters",
      because: "they may vanish, or turn into others",
      refused,
      forge: ({ signed }) => {
        const [before = "", after = ""] = signed().split(mallory);
        return Buffer.concat([
          Buffer.from(before + mallory),
          Buffer.of(0xff, 0xc0, 0xaf),
          Buffer.from(after),
        ]);
      },
    },
    {
      attack: "a null byte",
      because: "a text may end there",
      refused,
      forge: ({ signed }) => signed().replace(mallory, `${mallory}\0`),
    },
    {
      attack: "a reference to the null character, signed by the provider",
      because: "XML has no such character",
      refused,
      forge: named(`${mallory}&#0;`),
    },
  ]);
});

describe.concurrent("an assertion that is not for this login", () => {
  const refused = "200 forbidden";
  const later = (minutes: number) => Date.now() + minutes * minute;

  refuseAll([
    {
      attack: "a status other than success",
      because: "the provider has not let them in",
      refused,
      forge: ({ signed }) => signed({ status: samlNames.responder }),
    },
    {
      attack: "a request that nobody has made",
      because: "an assertion answers a request",
      refused: "500 server-error",
      forge: ({ signed }) => signed({ inResponseTo: "_0190a5b8-0000-7000-8000-000000000000" }),
    },
    {
      attack: "an assertion from the future",
      because: "its clock is wrong, or it was kept for later",
      refused,
      forge: ({ signed }) => signed({ issueInstant: later(2) }),
    },
    {
      attack: "an authentication in the future",
      because: "it has not happened yet",
      refused,
      forge: ({ signed }) => signed({ authnInstant: later(2) }),
    },
    {
      attack: "an assertion that is not valid yet",
      because: "it says so",
      refused,
      forge: ({ signed }) => signed({ notBefore: later(2) }),
    },
    {
      attack: "an assertion that has expired",
      because: "it says so",
      refused: "400 ttl-error",
      forge: ({ signed }) => signed({ notOnOrAfter: later(-2) }),
    },
    {
      attack: "an assertion that is valid for a day",
      because: "it would have to be remembered for that long",
      refused: "400 ttl-error",
      forge: ({ signed }) => signed({ notOnOrAfter: later(24 * 60) }),
    },
    {
      attack: "an assertion without end",
      because: "it would have to be remembered for ever",
      refused: "400 ttl-error",
      forge: ({ signed }) => signed({ notOnOrAfter: null }),
    },
    {
      attack: "a confirmation that has expired",
      because: "it says so",
      refused,
      forge: ({ signed }) => signed({ confirmationNotOnOrAfter: later(-2) }),
    },
    {
      attack: "a confirmation that is not valid yet",
      because: "it says so",
      refused,
      forge: ({ signed }) => signed({ confirmationNotBefore: later(2) }),
    },
    {
      attack: "a session that has ended",
      because: "it says so",
      refused,
      forge: ({ signed }) => signed({ sessionNotOnOrAfter: later(-2) }),
    },
    {
      attack: "another recipient",
      because: "it was sent elsewhere",
      refused,
      forge: ({ signed }) => signed({ recipient: "https://elsewhere.example.com/sso/finalize-login" }),
    },
    {
      attack: "a recipient that differs in case only",
      because: "addresses are compared exactly",
      refused,
      forge: ({ signed, request }) => signed({ recipient: request.issuer.toUpperCase() }),
    },
    {
      attack: "the audience of version 1",
      because: "the provider is of version 2",
      refused,
      forge: ({ signed, request }) => signed({ audience: request.issuer.replace(/\/[^/]*$/, "") }),
    },
    {
      attack: "the audience of another team",
      because: "each team is a service of its own",
      refused,
      forge: ({ signed, request }) =>
        signed({ audience: request.issuer.replace(/[^/]*$/, "0190a5b8-0000-4000-8000-000000000000") }),
    },
    {
      attack: "the audience of another host",
      because: "each host is a service of its own",
      refused,
      forge: ({ signed, request }) => signed({ audience: request.issuer.replace("127.0.0.1", "localhost") }),
    },
    {
      attack: "no audience",
      because: "another service could pass it on",
      refused,
      forge: ({ signed }) => signed({ audience: null }),
    },
    {
      attack: "two restrictions of the audience, of which one is met",
      because: "all restrictions are to be met",
      refused,
      forge: ({ signed }) =>
        signed({
          moreConditions:
            "<saml:AudienceRestriction><saml:Audience>https://elsewhere.example.com</saml:Audience></saml:AudienceRestriction>",
        }),
    },
    {
      attack: "no issuer of the response",
      because: "the provider is found by it",
      refused: "400 bad-response-saml",
      forge: ({ signed }) => signed({ responseIssuer: null }),
    },
    {
      attack: "another issuer of the response",
      because: "response and assertion are of the same provider",
      refused: "403 bad-response-saml",
      forge: ({ signed }) => signed({ responseIssuer: "https://elsewhere.example.com" }),
    },
    {
      attack: "an issuer that is not known",
      because: "the team has no such provider",
      refused: "404 not-found",
      forge: ({ signed }) =>
        signed({ issuer: "https://elsewhere.example.com", responseIssuer: "https://elsewhere.example.com" }),
    },
    {
      attack: "an assertion without an id",
      because: "neither a signature nor a list of used ones could name it",
      refused: "400 bad-response-saml",
      forge: ({ signed }) => signed({ assertionId: null }, { signed: "nothing" }),
    },
  ]);
});

describe.concurrent("a request without a usable response", () => {
  const post = async (body: string, contentType = "application/x-www-form-urlencoded") => {
    const { teamId } = (await setScene()).registered;
    return api("POST", `/sso/finalize-login/${teamId}`, { body, headers: { "content-type": contentType } });
  };

  it.for([
    { form: "without a field", body: "", refused: "400 bad-response-saml" },
    { form: "with an empty field", body: "SAMLResponse=", refused: "400 bad-response-saml" },
    { form: "with another field", body: "RelayState=a", refused: "400 bad-response-saml" },
    { form: "with garbage", body: "SAMLResponse=%00%FF", refused: "400 bad-response-xml" },
    { form: "with the field twice", body: "SAMLResponse=YQ&SAMLResponse=Yg", refused: "400 bad-request" },
    {
      form: "of a megabyte",
      body: `SAMLResponse=${"a".repeat(1_000_000)}`,
      refused: "413 request-too-large",
    },
  ])("is refused with a page: a form $form", async ({ body, refused }) => {
    expect(describeAnswer(await post(body))).toBe(refused);
  });

  it("is refused with a page: a body that is not a form", async () => {
    expect(describeAnswer(await post("{}", "application/json"))).toBe("415 unsupported-media-type");
  });
});

describe.concurrent("a response that is used elsewhere or again", () => {
  const answerOf = async (scene: Pick<Scene, "registered">, xml: string) =>
    describeAnswer(await finalizeLogin(scene.registered, encodeXml(xml)));

  it("logs in only once", async () => {
    const scene = await setScene();
    const response = scene.signed();
    expect(await answerOf(scene, response)).toBe("200 success");
    expect(await answerOf(scene, response)).toBe("200 forbidden");
  });

  it("does not log in when another response to the same request has done so", async () => {
    const scene = await setScene();
    expect(await answerOf(scene, scene.signed())).toBe("200 success");
    expect(await answerOf(scene, scene.signed())).toBe("200 forbidden");
  });

  it("does not log in with the id of an assertion that was used for another request", async () => {
    const scene = await setScene();
    expect(await answerOf(scene, scene.signed({ assertionId: "_once" }))).toBe("200 success");
    const request = await initiateLogin(scene.registered);
    expect(await answerOf(scene, scene.provider.signed(request, { assertionId: "_once" }))).toBe(
      "200 forbidden",
    );
  });

  it("logs in with an id that an assertion of another provider has had", async () => {
    for (const scene of [await setScene(), await setScene()]) {
      expect(await answerOf(scene, scene.signed({ assertionId: "_same" }))).toBe("200 success");
    }
  });

  it("does not answer the request to another provider of the team, which stays open", async () => {
    const scene = await setScene();
    const other = await newIdentityProvider({ key: await sharedKey("attacker") });
    const registered = await registerIdentityProvider(other, scene.teamId);
    const forgery = other.signed(scene.request, { nameId: { text: victim } });
    expect(await answerOf({ registered }, forgery)).toBe("200 forbidden");
    expect(await answerOf(scene, scene.signed())).toBe("200 success");
  });

  it("is not accepted as one of another provider of the team", async () => {
    const scene = await setScene();
    const other = await newIdentityProvider({ key: await sharedKey("attacker") });
    const registered = await registerIdentityProvider(other, scene.teamId);
    const request = await initiateLogin(registered);
    const { issuer } = scene.provider;
    const forgery = other.signed(request, { issuer, responseIssuer: issuer, nameId: { text: victim } });
    expect(await answerOf({ registered }, forgery)).toBe("400 bad-response-signature");
  });

  it("does not log in to another team with the same identity provider", async () => {
    const scene = await setScene();
    const { id: teamId } = await newTeam();
    const registered = await registerIdentityProvider(scene.provider, teamId);
    expect(await answerOf({ registered }, scene.signed())).toBe("200 forbidden");
    const request = await initiateLogin(registered);
    expect(await answerOf(scene, scene.provider.signed(request))).toBe("200 forbidden");
  });

  it("does not log in to a team without the identity provider", async () => {
    const scene = await setScene();
    const { id: teamId } = await newTeam();
    expect(await answerOf({ registered: { ...scene.registered, teamId } }, scene.signed())).toBe(
      "404 not-found",
    );
  });

  it("does not log in at the address of the other version", async () => {
    const scene = await setScene();
    expect(await answerOf({ registered: { ...scene.registered, apiVersion: "v1" } }, scene.signed())).toBe(
      "409 cannot-mix-idp-api-verions",
    );
  });
});
