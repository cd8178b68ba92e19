import { createPublicKey } from "node:crypto";
import { expect, it } from "vitest";
import { newIdentityProvider, sharedKey } from "../../../../../test/support/saml.ts";
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
const limits = { maxLength: 100_000, maxTags: 1000 };

/** The assertions of a document that count as signed, wherever they are, and their signed texts. */
async function verifiedIn(xml: string): Promise<{ shown: string; signed: string }[]> {
  const { publicKey } = await sharedKey("usual");
  const assertions = Array.from(parseXml(xml, limits).getElementsByTagNameNS("*", "Assertion"));
  return assertions.flatMap((assertion) => {
    try {
      const signed = verifyAssertion(xml, assertion, [createPublicKey(publicKey)]);
      return [{ shown: assertion.textContent ?? "", signed }];
    } catch (error) {
      if (error instanceof SignatureError) return [];
      throw error;
    }
  });
}

it.for(["assertion", "both"] as const)("accepts an assertion signed %s", async (signed) => {
  const { signed: write } = await newIdentityProvider();
  const [verified, ...others] = await verifiedIn(write(request, { nameId: { text: mallory } }, { signed }));
  expect(verified?.signed).toContain(`>${mallory}</saml:NameID>`);
  expect(verified?.signed).not.toContain("Signature");
  expect(others).toEqual([]);
});

it.for(wrappings)("trusts only what is signed in a wrapped response: $wrapping", async ({ signed, wrap }) => {
  const { signed: write } = await newIdentityProvider();
  const forgery = wrap(write(request, { nameId: { text: mallory } }, { signed }));
  expect(forgery).toContain(victim);
  for (const { shown, signed: text } of await verifiedIn(forgery)) {
    expect(shown).not.toContain(victim);
    expect(text).toContain(`>${mallory}</saml:NameID>`);
    expect(text).not.toContain(victim);
  }
});

it("returns the whole signed text even if a comment interrupts it", async () => {
  const { signed: write } = await newIdentityProvider();
  const name = `${victim}.${mallory}`;
  const xml = write(request, { nameId: { text: name } }).replace(`${victim}.`, `${victim}<!---->.`);
  const [verified] = await verifiedIn(xml);
  expect(verified?.signed).toContain(`>${name}</saml:NameID>`);
});
