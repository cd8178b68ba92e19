import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { parseMetadata } from "../../identity-providers/parse-metadata.ts";
import { openResponse, verifyResponse } from "./open-response.ts";

const recorded = new URL("../../../../../test/support/recorded/", import.meta.url);
const read = (name: string, product = "keycloak") =>
  readFileSync(new URL(`${product}/${name}.xml`, recorded), "utf8");

const service = "http://127.0.0.1:21200/sso/finalize-login/7414208b-9e80-498d-a7c4-0078b08cf9ca";
const format = (version: string, name: string) => `urn:oasis:names:tc:SAML:${version}:nameid-format:${name}`;

describe("metadata as a product wrote it", () => {
  it.each([
    ["metadata", 1],
    ["metadata-while-keys-change", 2],
  ])("%s is read with its certificates", (name, count) => {
    expect(parseMetadata(read(name))).toEqual({
      issuer: "http://127.0.0.1:21280/realms/office",
      requestUri: "http://127.0.0.1:21280/realms/office/protocol/saml",
      certificates: Array.from({ length: count }, () => expect.any(String)),
    });
  });
});

describe("a response as a product wrote it", () => {
  const { certificates, issuer } = parseMetadata(read("metadata"));
  const outcomeOf = (name: string) => {
    try {
      const opened = openResponse(Buffer.from(read(name)).toString("base64"));
      return "assertions" in opened ? verifyResponse(opened, { certificates }).assertions : opened;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { label, cause } = error;
      return [label, cause instanceof Error ? cause.message : cause];
    }
  };

  it.each([
    ["both-signed-email", { text: "ada@engines.example", format: format("1.1", "emailAddress") }],
    ["username-unspecified", { text: "ada", format: format("1.1", "unspecified") }],
    ["persistent-one-time", { text: expect.stringMatching(/^G-/), format: format("2.0", "persistent") }],
    [
      "assertion-signed-with-key-in-extensions",
      { text: "ada@engines.example", format: format("1.1", "emailAddress") },
    ],
  ])("is verified: %s", (name, nameId) => {
    expect(outcomeOf(name)).toMatchObject([
      { issuer, nameId, audiences: [[service]], confirmations: [{ recipient: service }] },
    ]);
  });

  it.each([
    [
      "response-signed",
      "bad-response-signature",
      "not exactly one signature, which is a child of the assertion",
    ],
    ["sha512", "bad-response-signature", "a SignatureMethod that is not accepted"],
    // Its signature does not fit the sent text: other verifiers refuse it, too.
    ["inclusive", "bad-response-signature", "none of the keys has made the signature"],
    ["without-authn-statement", "bad-response-xml", "no AuthnStatement"],
    ["encrypted", "bad-response-xml", "Response has EncryptedAssertion"],
  ])("is refused with the reason: %s", (name, ...reasons) => {
    expect(outcomeOf(name)).toEqual(reasons);
  });
});

describe("a response that xmlsec has signed", () => {
  const { certificates } = parseMetadata(read("pysaml2-metadata", "xmlsec"));

  it.each([
    ["pysaml2-both-signed", "py-both"],
    ["prefix-on-assertion", "ada@example.com"],
    ["prefix-on-response", "ada@example.com"],
  ])("is verified: %s", (name, text) => {
    const opened = openResponse(Buffer.from(read(name, "xmlsec")).toString("base64"));
    expect("assertions" in opened && verifyResponse(opened, { certificates }).assertions).toMatchObject([
      { nameId: { text } },
    ]);
  });
});
