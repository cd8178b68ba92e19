import { createPublicKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  algorithms,
  newIdentityProvider,
  type ResponseOptions,
  sharedKey,
} from "../../../../../test/support/saml.ts";
import { mallory, victim, wrappings } from "../../../../../test/support/saml-wrapping.ts";
import { parseXml } from "../../parse-xml.ts";
import { SignatureError, verifyAssertion } from "./verify-assertion.ts";

const request = {
  action: "https://idp.example.com/login",
  samlRequest: "",
  xml: "",
  id: "_0190a5b8-0000-4000-8000-000000000000",
  issuer: "https://chat.example.com/sso/finalize-login",
};
const limits = { maxLength: 100_000 };

/** The assertions of a document that count as signed, wherever they are, and their signed texts. */
async function verifiedIn(xml: string): Promise<{ shown: string; signed: string }[]> {
  const { publicKey } = await sharedKey("usual");
  const assertions = Array.from(parseXml(xml, limits).getElementsByTagNameNS("*", "Assertion"));
  return assertions.flatMap((assertion) => {
    try {
      const signed = verifyAssertion(assertion, [createPublicKey(publicKey)]);
      return [{ shown: assertion.textContent ?? "", signed }];
    } catch (error) {
      if (error instanceof SignatureError) return [];
      throw error;
    }
  });
}

/** Declarations of the assertion itself, which its signature inherits in the inclusive canonical form only. */
const declaring: ResponseOptions = {
  edit: (xml) =>
    xml.replace("<saml:Assertion ", '<saml:Assertion xmlns:xs="http://www.w3.org/2001/XMLSchema" '),
};
const inclusively: ResponseOptions = {
  canonicalization: algorithms.inclusive,
  transforms: [algorithms.enveloped, algorithms.inclusive],
};

const ways: readonly (readonly [string, ResponseOptions])[] = [
  ["alone", { signed: "assertion" }],
  ["together with the response", { signed: "both" }],
  ["together with the response, with declarations", { signed: "both", ...declaring }],
  ["together with the response, inclusively", { signed: "both", ...inclusively }],
  [
    "together with the response, inclusively, with declarations",
    { signed: "both", ...inclusively, ...declaring },
  ],
  [
    "together with the response, inclusively without saying so, with declarations",
    { signed: "both", ...inclusively, transforms: [algorithms.enveloped], ...declaring },
  ],
];

it.for(ways)("the verification accepts an assertion signed %s", async ([, options]) => {
  const { signed: write } = await newIdentityProvider();
  const [verified, ...others] = await verifiedIn(write(request, { nameId: { text: mallory } }, options));
  expect(verified?.signed).toContain(`>${mallory}</saml:NameID>`);
  expect(verified?.signed).not.toContain("Signature");
  expect(others).toEqual([]);
});

describe.for(ways.filter(([, { canonicalization }]) => canonicalization !== undefined))(
  "an assertion signed %s",
  ([, options]) => {
    it("has only the namespaces that were signed", async () => {
      const { signed: write } = await newIdentityProvider();
      const xml = write(request, {}, options);
      expect(await verifiedIn(xml)).toHaveLength(1);
      for (const declared of ["<samlp:Response ", "<saml:Assertion ", "<ds:Signature "])
        expect(await verifiedIn(xml.replaceAll(declared, `${declared}xmlns:more="urn:more" `))).toEqual([]);
    });
  },
);

it.for(
  wrappings.flatMap((wrapping) =>
    [{}, inclusively, { ...inclusively, ...declaring }].map((options) => ({ ...wrapping, options })),
  ),
)(
  "the verification trusts only what is signed in a wrapped response: $wrapping",
  async ({ signed, wrap, options }) => {
    const { signed: write } = await newIdentityProvider();
    const forgery = wrap(write(request, { nameId: { text: mallory } }, { ...options, signed }));
    expect(forgery).toContain(victim);
    for (const { shown, signed: text } of await verifiedIn(forgery)) {
      expect(shown).not.toContain(victim);
      expect(text).toContain(`>${mallory}</saml:NameID>`);
      expect(text).not.toContain(victim);
    }
  },
);

it("the verification returns the whole signed text even if a comment interrupts it", async () => {
  const { signed: write } = await newIdentityProvider();
  const name = `${victim}.${mallory}`;
  const xml = write(request, { nameId: { text: name } }).replace(`${victim}.`, `${victim}<!---->.`);
  const [verified] = await verifiedIn(xml);
  expect(verified?.signed).toContain(`>${name}</saml:NameID>`);
});
