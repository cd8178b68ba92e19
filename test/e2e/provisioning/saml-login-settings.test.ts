import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "#shared/platform/clock.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import { outcome } from "../../support/api.ts";
import { type OwnStack, stopOwnStacks } from "../../support/own-stack.ts";
import {
  encodeXml,
  finalizeLogin,
  initiateLogin,
  logInBySaml,
  newIdentityProvider,
  newSigningKey,
  registerIdentityProvider,
  samlNames,
  verdictOf,
} from "../../support/saml.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";

afterAll(stopOwnStacks);

/** A company, in a stack, whose people log in through an identity provider. */
async function newCompany(stack: OwnStack) {
  const [team, idp] = [await newTeam({}, stack), await newIdentityProvider({ clock: stack.clock })];
  return { team, idp, registered: await registerIdentityProvider(idp, team.id, {}, stack) };
}

describe("a login that takes too long", () => {
  let stack: OwnStack;
  beforeAll(async () => {
    stack = await stackWith({ saml: { requestLifetimeSecs: 60 } }, { isClockStopped: true });
  });

  it("is denied at first, later refused as unknown, and then forgotten", async () => {
    const { idp, registered } = await newCompany(stack);
    const request = await initiateLogin(registered, stack);
    const query = { success_redirect: "svc://ok", error_redirect: "svc://bad?$label" };
    const ofApp = await initiateLogin(registered, { ...stack, query });
    stack.advance(60);
    const late = await finalizeLogin(registered, idp.respond(request), stack);
    expect([late.status, verdictOf(late)]).toEqual([200, "forbidden"]);
    expect(late.body).toContain("InResponseTo");
    const lateApp = await finalizeLogin(registered, idp.respond(ofApp), stack);
    expect([lateApp.status, lateApp.headers.get("location")]).toEqual([303, "svc://bad?forbidden"]);
    stack.advance(60);
    const tooLate = await finalizeLogin(registered, idp.respond(request), stack);
    expect([tooLate.status, verdictOf(tooLate)]).toEqual([500, "server-error"]);
  });

  it("succeeds in the last second", async () => {
    const { idp, registered } = await newCompany(stack);
    const request = await initiateLogin(registered, stack);
    stack.advance(59);
    expect(verdictOf(await finalizeLogin(registered, idp.respond(request), stack))).toBe("success");
  });
});

describe("several service providers", () => {
  let stack: OwnStack;
  const hosts = ["one.parley.example", "two.parley.example"];
  const at = (host: string | undefined) => ({ ...stack, headers: { host: host ?? "" } });
  beforeAll(async () => {
    const byHost = hosts.map((host) => [host, { spSsoUri: `https://${host}/sso/` }]);
    stack = await stackWith({ saml: { serviceProvidersByHost: Object.fromEntries(byHost) } });
  });

  it("answer on their own hosts, and share an identity provider", async () => {
    const { idp, registered, team } = await newCompany(stack);
    const nameId = { text: randomUUID() };
    for (const host of [...hosts, "ONE.parley.example:8443"]) {
      const { issuer } = await initiateLogin(registered, at(host));
      expect(issuer).toBe(`https://${host.toLowerCase().replace(/:.*/, "")}/sso/finalize-login/${team.id}`);
      const answer = await logInBySaml(registered, idp, { nameId }, at(host));
      expect(verdictOf(answer)).toBe("success");
    }
  });

  it("deny a login that started on another host", async () => {
    const { idp, registered } = await newCompany(stack);
    const request = await initiateLogin(registered, at(hosts[0]));
    const answer = await finalizeLogin(registered, idp.respond(request), at(hosts[1]));
    expect([answer.status, verdictOf(answer)]).toEqual([200, "forbidden"]);
    expect(verdictOf(await finalizeLogin(registered, idp.respond(request), at(hosts[0])))).toBe("success");
  });

  it("do not answer on other hosts, whatever a client claims", async () => {
    const { idp, registered } = await newCompany(stack);
    const request = await initiateLogin(registered, at(hosts[0]));
    const claims = { "x-entrance-host": hosts[0] ?? "", "z-host": hosts[0] ?? "", "x-forwarded-host": "one" };
    const elsewhere = { ...stack, headers: { host: "constructor", ...claims } };
    const path = `/sso/initiate-login/${registered.id}`;
    expect(outcome(await stack.publicApi("GET", path, elsewhere))).toBe("404 not-found");
    const answer = await finalizeLogin(registered, idp.respond(request), elsewhere);
    expect([answer.status, verdictOf(answer)]).toEqual([404, "not-found"]);
  });
});

describe("the limit of a network", () => {
  it("keeps a network from starting logins endlessly, except with HEAD", async () => {
    const requestRateLimitPerIp = { burst: 2, refillSeconds: 10 };
    const stack = await stackWith({ saml: { requestRateLimitPerIp } }, { isClockStopped: true });
    const { registered } = await newCompany(stack);
    const path = `/sso/initiate-login/${registered.id}`;
    const start = async () => (await stack.publicApi("GET", path)).status;
    expect([await start(), await start(), await start()]).toEqual([200, 200, 429]);
    expect((await stack.publicApi("HEAD", path)).status).toBe(200);
    stack.advance(10);
    expect(await start()).toBe(200);
  });

  it("does not count what other sites embed and what browsers prefetch", async () => {
    const requestRateLimitPerIp = { burst: 1, refillSeconds: 10 };
    const stack = await stackWith({ saml: { requestRateLimitPerIp } }, { isClockStopped: true });
    const { registered } = await newCompany(stack);
    const path = `/sso/initiate-login/${registered.id}`;
    const crossSite = { "sec-fetch-site": "cross-site" };
    const unwanted: Record<string, string>[] = [
      { ...crossSite, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
      { ...crossSite, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script" },
      { ...crossSite, "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
      { ...crossSite, "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
      { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
      { "sec-purpose": "prefetch" },
      { "sec-purpose": "prefetch;prerender" },
      { purpose: "prefetch" },
    ];
    for (const headers of unwanted) {
      expect(outcome(await stack.publicApi("GET", path, { headers }))).toBe("403 access-denied");
    }
    const opened = { ...crossSite, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    expect((await stack.publicApi("GET", path, { headers: opened })).status).toBe(200);
  });
});

describe("the limit on unusable responses", () => {
  const badResponseRateLimitPerIp = { burst: 2, refillSeconds: 10 };
  let stack: OwnStack;
  beforeAll(async () => {
    stack = await stackWith({ saml: { badResponseRateLimitPerIp } }, { isClockStopped: true });
  });

  it("keeps a network from sending them endlessly, in all versions", async () => {
    const { idp, registered } = await newCompany(stack);
    const unasked = { ...(await initiateLogin(registered, stack)), id: `_${randomUUID()}` };
    const send = async (response: string, teamId?: string) => {
      const to =
        teamId === undefined ? { ...registered, apiVersion: "v1" as const } : { ...registered, teamId };
      const { status, headers, body } = await finalizeLogin(to, response, stack);
      return [status, verdictOf({ body }), headers.get("retry-after")];
    };
    const forged = idp.respond(unasked, {}, { key: await newSigningKey() });
    expect(await send(forged, registered.teamId)).toEqual([400, "bad-response-signature", null]);
    expect(await send(encodeXml("<a/>"))).toEqual([400, "bad-response-xml", null]);
    expect(await send(encodeXml("<a/>"))).toEqual([429, "too-many-requests", "10"]);
    stack.advance(4);
    const signed = idp.respond(unasked);
    expect(await send(signed, registered.teamId)).toEqual([429, "too-many-requests", "6"]);
    stack.advance(6);
    expect(await send(signed, registered.teamId)).toEqual([500, "server-error", null]);
  });

  it("does not keep a network from finishing logins that it has begun", async () => {
    stack.advance(20);
    const { registered, idp } = await newCompany(stack);
    const request = await initiateLogin(registered, stack);
    const legacy = { ...registered, apiVersion: "v1" as const };
    for (const status of [400, 400, 429, 429])
      expect((await finalizeLogin(legacy, encodeXml("<a/>"), stack)).status).toBe(status);
    expect(verdictOf(await finalizeLogin(registered, idp.respond(request), stack))).toBe("success");
    expect((await finalizeLogin(registered, idp.respond(request), stack)).status).toBe(429);
  });

  it("charges a login after ten unusable responses", async () => {
    stack.advance(20);
    const { registered, idp } = await newCompany(stack);
    const request = await initiateLogin(registered, stack);
    const forged = idp.respond(request, {}, { key: await newSigningKey() });
    const statuses: number[] = [];
    for (let number = 0; number < 14; number++)
      statuses.push((await finalizeLogin(registered, forged, stack)).status);
    expect(statuses).toEqual([...Array(12).fill(400), 429, 429]);
  });

  it("charges unsigned failures", async () => {
    stack.advance(20);
    const { registered, idp } = await newCompany(stack);
    const request = { ...(await initiateLogin(registered, stack)), id: "_unknown" };
    const failure = idp
      .unsigned(request, { status: samlNames.responder })
      .replace(/<saml:Assertion .*<\/saml:Assertion>/, "");
    const statuses: number[] = [];
    for (let number = 0; number < 3; number++)
      statuses.push((await finalizeLogin(registered, encodeXml(failure), stack)).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it("does not count logins that succeed or are denied", async () => {
    stack.advance(20);
    const { idp, registered } = await newCompany(stack);
    for (const isSuccess of [true, false, true, false]) {
      const fields = isSuccess ? {} : { status: samlNames.responder };
      const answer = await logInBySaml(registered, idp, fields, stack);
      expect([answer.status, verdictOf(answer)]).toEqual([200, isSuccess ? "success" : "forbidden"]);
    }
  });
});

describe("an email address as a name, at a domain that the team has claimed with single sign-on", () => {
  it("belongs to the account immediately, although other addresses have to be validated", async () => {
    const domainVerification = { resolvers: ["127.0.0.1:9"] };
    const stack = await stackWith({ domainVerification });
    const config = { ...stackConfig(stack.prefix), settings: parseSettings({ domainVerification }) };
    const domains = new RegisteredDomainStore({ dynamo: createDynamo(), config, clock: systemClock });
    const { idp, registered, team } = await newCompany(stack);
    const domain = `${randomUUID()}.example`;
    await transact(
      createDynamo(),
      domains.save(undefined, {
        domain,
        redirect: { kind: "sso", identityProviderId: registered.id },
        teamInvite: { kind: "allowed" },
        authorizedTeam: team.id,
      }),
    );
    const emailAfterLogin = async (email: string) => {
      const nameId = { text: email, format: samlNames.email };
      const { cookie } = await logInBySaml(registered, idp, { nameId }, stack);
      const access = await stack.publicApi("POST", "/access", { cookie });
      return (await stack.publicApi("GET", "/self", { token: access.body.access_token })).body.email;
    };
    expect(await emailAfterLogin(`ada@${domain}`)).toBe(`ada@${domain}`);
    expect(await emailAfterLogin(`ada@${randomUUID()}.example`)).toBeUndefined();
  });
});
