import { expect, it } from "vitest";
import { samlNames } from "../../../../../test/support/saml.ts";
import { fields, newScene, refuses } from "../../../../../test/support/saml-forgeries.ts";
import { type Assertion, readResponse } from "./read-response.ts";

function assertionsIn(xml: string): readonly Assertion[] {
  const read = readResponse(xml);
  return "assertions" in read ? read.assertions : [];
}

it("each time, address and audience of a response is read from its own element", async () => {
  const { provider, request, signed } = await newScene();
  const nameId = {
    text: "ada",
    format: samlNames.persistent,
    nameQualifier: "a",
    spNameQualifier: "b",
    spProvidedId: "c",
  };
  const elsewhere = "https://elsewhere.example.com";
  const xml = signed({
    nameId,
    assertionId: "_a",
    issueInstant: 1_000,
    authnInstant: 2_000,
    sessionNotOnOrAfter: 3_000,
    notBefore: 4_000,
    notOnOrAfter: 5_000,
    confirmationNotBefore: 6_000,
    confirmationNotOnOrAfter: 7_000,
    recipient: "https://chat.example.com/recipient",
    audience: "https://chat.example.com/audience",
    moreConditions: `<saml:AudienceRestriction><saml:Audience>${elsewhere}</saml:Audience></saml:AudienceRestriction>`,
  });
  expect(readResponse(xml)).toMatchObject({ issuer: provider.issuer, status: { isSuccess: true } });
  expect(assertionsIn(xml)).toEqual([
    {
      id: "_a",
      issuer: provider.issuer,
      issueInstant: 1_000,
      nameId,
      sentName: "ada",
      confirmations: [
        {
          inResponseTo: request.id,
          recipient: "https://chat.example.com/recipient",
          notBefore: 6_000,
          notOnOrAfter: 7_000,
        },
      ],
      notBefore: 4_000,
      notOnOrAfter: 5_000,
      audiences: [["https://chat.example.com/audience"], [elsewhere]],
      authentications: [{ instant: 2_000, sessionNotOnOrAfter: 3_000 }],
    },
  ]);
});

it("a name is read without the white space around it, which is only layout", async () => {
  const { signed } = await newScene();
  const [assertion] = assertionsIn(signed({ nameId: { text: "\n  ada\t\r\n" } }));
  expect(assertion?.nameId.text).toBe("ada");
  expect(assertion?.sentName.trim()).toBe("ada");
  expect(assertion?.sentName).not.toBe("ada");
});

refuses(
  {
    "a status other than success, because the provider has not let them in": fields({
      status: samlNames.responder,
    }),
  },
  /^Status: /,
);
refuses(
  {
    "no issuer of the response, because the provider is found by it": fields({ responseIssuer: null }),
    "an assertion without an id, because neither a signature nor a list of used ones could name it": fields(
      { assertionId: null },
      { signed: "nothing" },
    ),
  },
  "bad-response-saml",
);
refuses(
  {
    "another issuer of the response, because response and assertion are of the same provider": fields({
      responseIssuer: "https://elsewhere.example.com",
    }),
  },
  "bad-response-issuers",
);

it.for([
  [
    "Responder: AuthnFailed: Wrong password.",
    '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Responder"><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:AuthnFailed"/></samlp:StatusCode><samlp:StatusMessage>\n  Wrong\u0085 password.\n</samlp:StatusMessage>',
  ],
  ["Requester", '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Requester"/>'],
  [
    "urn:example:maintenance",
    '<samlp:StatusCode Value="urn:example:maintenance"/><samlp:StatusDetail><x/></samlp:StatusDetail>',
  ],
] as const)(
  "a failure without an assertion is read with the words of the provider: %s",
  async ([words, status]) => {
    const { signed, request } = await newScene();
    const xml = signed({}, { signed: "nothing" })
      .replace(/<samlp:StatusCode .*?\/>/, status)
      .replace(/<saml:Assertion .*<\/saml:Assertion>/, "");
    expect(readResponse(xml)).toEqual({
      status: { isSuccess: false, words },
      inResponseTo: request.id,
    });
  },
);
