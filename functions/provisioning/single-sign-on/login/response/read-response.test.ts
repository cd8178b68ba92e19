import { expect, it } from "vitest";
import { samlNames } from "../../../../../test/support/saml.ts";
import { fields, newScene, refuses } from "../../../../../test/support/saml-forgeries.ts";
import { readResponse } from "./read-response.ts";

it("a response is read with each time, address and audience from the element that it belongs to", async () => {
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
  const { issuer, isSuccess, assertions } = readResponse(xml);
  expect({ issuer, isSuccess }).toEqual({ issuer: provider.issuer, isSuccess: true });
  expect(assertions).toEqual([
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

it("a name is read without the white space around it, which only the layout of the document has put there", async () => {
  const { signed } = await newScene();
  const [{ nameId, sentName }] = readResponse(signed({ nameId: { text: "\n  ada\t\r\n" } })).assertions;
  expect(nameId.text).toBe("ada");
  expect(sentName.trim()).toBe("ada");
  expect(sentName).not.toBe("ada");
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
