import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api } from "../../support/api.ts";
import {
  encodeXml,
  finalizeLogin,
  initiateLogin,
  newIdentityProvider,
  registerIdentityProvider,
  samlNames,
  sharedKey,
  verdictOf,
} from "../../support/saml.ts";
import { edited, type Forge, fields, newScene, tampered } from "../../support/saml-forgeries.ts";
import { mallory, victim } from "../../support/saml-wrapping.ts";
import { newTeam } from "../../support/teams.ts";

/** Tables of forgeries are beside the modules that refuse them, in functions/provisioning/single-sign-on/login. */

type Registered = Parameters<typeof finalizeLogin>[0];

/** A login that an attacker has started at a team's identity provider. */
async function startLogin() {
  const { id: teamId, owner } = await newTeam();
  const provider = await newIdentityProvider();
  const registered = await registerIdentityProvider(provider, teamId);
  const scene = await newScene(await initiateLogin(registered), provider);
  return { ...scene, registered, owner, teamId };
}

const answerTo = async (registered: Registered, xml: string | Uint8Array) => {
  const answer = await finalizeLogin(registered, encodeXml(xml));
  return { ...answer, verdict: `${answer.status} ${verdictOf(answer)}` };
};

describe.concurrent("a login", () => {
  it("admits nobody with a forged response of any kind, and still admits its own user with the genuine one", async () => {
    const scene = await startLogin();
    const elsewhere = "https://elsewhere.example.com";
    const forgeries: [string, Forge][] = [
      ["400 bad-response-xml", ({ signed }) => `<!DOCTYPE samlp:Response>${signed()}`],
      ["400 bad-response-signature", tampered(mallory, victim)],
      ["400 bad-response-signature", edited(mallory, victim, { key: await sharedKey("attacker") })],
      ["400 bad-response-saml", fields({ assertionId: null }, { signed: "nothing" })],
      ["403 bad-response-saml", fields({ responseIssuer: elsewhere })],
      ["404 not-found", fields({ issuer: elsewhere, responseIssuer: elsewhere })],
      ["400 ttl-error", fields({ notOnOrAfter: null })],
      ["200 forbidden", fields({ status: samlNames.responder })],
      ["200 forbidden", fields({ recipient: elsewhere })],
      ["500 server-error", fields({ inResponseTo: `_${randomUUID()}` })],
    ];
    for (const [verdict, forge] of forgeries) {
      const answer = await answerTo(scene.registered, await forge(scene));
      expect([answer.verdict, answer.setCookie]).toEqual([verdict, undefined]);
      expect(answer.body).not.toContain(victim);
    }
    const { body } = await api("GET", `/teams/${scene.teamId}/members`, { token: scene.owner.token });
    expect(body.members).toHaveLength(1);
    expect(await answerTo(scene.registered, scene.signed())).toMatchObject({ verdict: "200 success" });
  });

  it.for([
    ["with an empty field", "SAMLResponse=", "400 bad-response-saml"],
    ["with another field", "RelayState=a", "400 bad-response-saml"],
    ["with garbage", "SAMLResponse=%00%FF", "400 bad-response-xml"],
    ["with the field twice", "SAMLResponse=YQ&SAMLResponse=Yg", "400 bad-request"],
  ])("is refused with a page for a form %s", async ([, body, refused]) => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const answer = await api("POST", `/sso/finalize-login/${randomUUID()}`, { body, headers });
    expect(`${answer.status} ${verdictOf(answer)}`).toBe(refused);
  });
});

describe.concurrent("a response that is used elsewhere", () => {
  it("logs in with an id that an assertion of another provider has had", async () => {
    for (const scene of [await startLogin(), await startLogin()]) {
      const answer = await answerTo(scene.registered, scene.signed({ assertionId: "_same" }));
      expect(answer.verdict).toBe("200 success");
    }
  });

  it("counts neither as an answer to another provider of the team nor as that provider's", async () => {
    const scene = await startLogin();
    const other = await newIdentityProvider({ key: await sharedKey("attacker") });
    const registered = await registerIdentityProvider(other, scene.teamId);
    const forgery = other.signed(scene.request, { nameId: { text: victim } });
    expect(await answerTo(registered, forgery)).toMatchObject({ verdict: "200 forbidden" });
    const { issuer } = scene.provider;
    const ofOther = other.signed(await initiateLogin(registered), { issuer, responseIssuer: issuer });
    expect(await answerTo(registered, ofOther)).toMatchObject({ verdict: "400 bad-response-signature" });
    expect(await answerTo(scene.registered, scene.signed())).toMatchObject({ verdict: "200 success" });
  });

  it("does not log in to another team with the same identity provider", async () => {
    const scene = await startLogin();
    const registered = await registerIdentityProvider(scene.provider, (await newTeam()).id);
    expect(await answerTo(registered, scene.signed())).toMatchObject({ verdict: "200 forbidden" });
    const ofOther = scene.provider.signed(await initiateLogin(registered));
    expect(await answerTo(scene.registered, ofOther)).toMatchObject({ verdict: "200 forbidden" });
  });
});
