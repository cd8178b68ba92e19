import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { accountEditor } from "../../support/accounts.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { createProvider, knownTo, newSsoTeam, updateProvider } from "../../support/identity-providers.ts";
import { provisioningData } from "../../support/provisioning.ts";
import {
  encodeXml,
  finalizeLogin,
  initiateLogin,
  type LoginRequest,
  logInBySaml,
  newIdentityProvider,
  newSigningKey,
  type ResponseFields,
  registerIdentityProvider,
  samlNames,
  sharedKey,
  type TestIdentityProvider,
  verdictOf,
} from "../../support/saml.ts";
import { newTeam, removeMember, type Team } from "../../support/teams.ts";
import { activate, newEmail, register } from "../../support/users.ts";

interface Company {
  readonly team: Team;
  readonly idp: TestIdentityProvider;
  readonly registered: { readonly id: string; readonly teamId: string; readonly apiVersion: "v1" | "v2" };
}

/** A team whose people log in through an identity provider. */
async function newCompany(apiVersion: "v1" | "v2" = "v2"): Promise<Company> {
  const [team, idp] = [await newSsoTeam(), await newIdentityProvider()];
  const { status, body } = await createProvider(team.owner, idp.metadata(), {
    query: { api_version: apiVersion },
  });
  expect(status).toBe(201);
  return { team, idp, registered: { id: body.id, teamId: team.id, apiVersion } };
}

/** Log in with these fields in the response. */
const logIn = ({ registered, idp }: Pick<Company, "registered" | "idp">, fields?: Partial<ResponseFields>) =>
  logInBySaml(registered, idp, fields);

/** A response without an assertion, as identity providers send it for a login that failed. */
const failureOf = (idp: TestIdentityProvider, request: LoginRequest): string =>
  idp
    .unsigned(request)
    .replace(/<saml:Assertion .*<\/saml:Assertion>/, "")
    .replace(
      /<samlp:Status>.*<\/samlp:Status>/,
      `<samlp:Status><samlp:StatusCode Value="${samlNames.responder}"><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:AuthnFailed"/></samlp:StatusCode><samlp:StatusMessage>Wrong password</samlp:StatusMessage></samlp:Status>`,
    );

const newName = () => `subject-${randomUUID()}`;

/** The user behind a cookie, with the user's own profile. */
async function selfOf(cookie: string | undefined) {
  const access = await api("POST", "/access", { cookie });
  expect(access.status).toBe(200);
  const token: string = access.body.access_token;
  const { body } = await api("GET", "/self", { token });
  return { ...body, token };
}

/** Log in, and return the user. */
async function loggedIn(company: Pick<Company, "registered" | "idp">, fields?: Partial<ResponseFields>) {
  const answer = await logIn(company, fields);
  expect(verdictOf(answer)).toBe("success");
  return selfOf(answer.cookie);
}

const mobile = {
  query: {
    success_redirect: "svc://login/ok?cookie=$cookie&user=$userid",
    error_redirect: "svc://login/bad?label=$label",
  },
};

const setStatus = (user: string, status: string) =>
  internalApi("PUT", `/i/users/${user}/status`, { json: { status } });

describe.concurrent("the start of a login", () => {
  it("exists only for known identity providers, as HEAD shows without a page", async () => {
    const { registered } = await newCompany();
    const path = `/sso/initiate-login/${registered.id}`;
    expect(await api("HEAD", path)).toMatchObject({ status: 200, body: "" });
    expect((await api("HEAD", `/sso/initiate-login/${randomUUID()}`)).status).toBe(404);
    expect(outcome(await api("GET", `/sso/initiate-login/${randomUUID()}`))).toBe("404 not-found");
  });

  it("is a page whose form submits a request to the identity provider", async () => {
    const { registered, idp, team } = await newCompany();
    const answer = await api("GET", `/sso/initiate-login/${registered.id}`);
    expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
    expect(answer.headers.get("cache-control")).toBe("no-cache, no-store");
    expect(answer.headers.get("pragma")).toBe("no-cache");
    expect(answer.body).toContain('onload="document.forms[0].submit()"');
    const { action, xml, id, issuer } = await initiateLogin(registered);
    expect(action).toBe(idp.requestUri);
    expect(id).toMatch(/^_[\da-f-]{36}$/);
    expect(issuer).toMatch(new RegExp(`/sso/finalize-login/${team.id}$`));
    expect(xml).toContain('AllowCreate="true"');
    expect(xml).not.toMatch(/Destination|AssertionConsumerService|Signature/);
  });

  it("names the service provider of all teams to identity providers of version 1", async () => {
    const { registered } = await newCompany("v1");
    expect((await initiateLogin(registered)).issuer).toMatch(/\/sso\/finalize-login$/);
  });

  it.for<[string, Record<string, string>, string, RegExp]>([
    ["only one redirect", { success_redirect: "svc://ok" }, "400 need-both-redirect-urls", /both/i],
    [
      "a page",
      { success_redirect: "https://a.example", error_redirect: "svc://bad" },
      "400 invalid-schema",
      /^success_redirect: /,
    ],
    [
      "a script",
      { success_redirect: "svc://ok", error_redirect: "javascript:alert(1)" },
      "400 invalid-schema",
      /^error_redirect: /,
    ],
    [
      "more than 140 bytes",
      { success_redirect: `svc://${"a".repeat(135)}`, error_redirect: "svc://bad" },
      "400 url-too-long",
      /^success_redirect: /,
    ],
    [
      "far more than 140 bytes",
      { success_redirect: "svc://ok", error_redirect: `svc://${"a".repeat(4000)}` },
      "400 url-too-long",
      /^error_redirect: /,
    ],
    [
      "no URL",
      { success_redirect: "svc", error_redirect: "svc://bad" },
      "400 bad-request",
      /^success_redirect: /,
    ],
  ])("refuses %s, before it looks up the identity provider", async ([, query, expected, names]) => {
    const search = new URLSearchParams(query);
    const answer = await api("GET", `/sso/initiate-login/${randomUUID()}?${search}`);
    expect(outcome(answer)).toBe(expected);
    expect(answer.body.message).toMatch(names);
    expect((await api("HEAD", `/sso/initiate-login/${randomUUID()}?${search}`)).status).toBe(400);
  });

  it("accepts redirects of 140 bytes", async () => {
    const { registered } = await newCompany();
    const query = { success_redirect: `svc://${"a".repeat(134)}`, error_redirect: "svc://bad" };
    await initiateLogin(registered, { query });
  });

  it("is refused with a page to browsers", async () => {
    const path = `/sso/initiate-login/${randomUUID()}`;
    const answer = await api("GET", path, { headers: { accept: "text/html" } });
    expect([answer.status, verdictOf(answer)]).toEqual([404, "not-found"]);
  });

  it("is refused with a page that blames the app for a wrong redirect, and not the company", async () => {
    const { registered } = await newCompany();
    const search = new URLSearchParams({
      success_redirect: "https://a.example",
      error_redirect: "svc://bad",
    });
    const answer = await api("GET", `/sso/initiate-login/${registered.id}?${search}`, {
      headers: { accept: "text/html" },
    });
    expect([answer.status, verdictOf(answer)]).toEqual([400, "invalid-schema"]);
    expect(answer.body).toContain("The app or the link");
    expect(answer.body).toMatch(/success_redirect: the scheme is not one of the apps(&#39;|&apos;|')/);
    expect(answer.body).not.toContain("company");
  });
});

describe.concurrent("a login in a browser", () => {
  it("creates an account for a new subject, and ends with a page and a persistent cookie", async () => {
    const company = await newCompany();
    const name = newName();
    const answer = await logIn(company, { nameId: { text: name } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html;charset=utf-8");
    expect(answer.headers.get("content-security-policy")).toMatch(/script-src 'sha256-[^']+';/);
    expect(answer.body).toMatch(/^<\?xml .*\n<!DOCTYPE html PUBLIC "-\/\/W3C\/\/DTD XHTML 1\.1/);
    expect(answer.body).toContain("<title>svc:sso:success</title>");
    expect(answer.body).toContain(`window.opener.postMessage({"type":"AUTH_SUCCESS"}, '*')`);
    expect(answer.setCookie).toMatch(/^zuid=[^;]+; path=\/access; Expires=[^;]+; HttpOnly; Secure$/);
    const self = await selfOf(answer.cookie);
    expect(self).toMatchObject({ name, team: company.team.id, managed_by: "svc", status: "active" });
    expect(self.sso_id.subject).toContain(name);
    expect(self).not.toHaveProperty("handle");
    const path = `/teams/${company.team.id}/members/${self.id}`;
    const member = await api("GET", path, { token: company.team.owner.token });
    expect(member.body.permissions).toEqual({ self: 1587, copy: 1587 });
    await eventually(async () => expect(await storedEvents(self.token, "user.activate")).toHaveLength(1));
  });

  it("logs the same subject in again as the same user", async () => {
    const company = await newCompany();
    const nameId = { text: newName() };
    const { id } = await loggedIn(company, { nameId });
    expect(await loggedIn(company, { nameId })).toMatchObject({ id });
  });

  it("is the same for an identity provider of version 1", async () => {
    const company = await newCompany("v1");
    const nameId = { text: newName() };
    const { id, team } = await loggedIn(company, { nameId });
    expect(team).toBe(company.team.id);
    expect(await loggedIn(company, { nameId })).toMatchObject({ id });
  });

  it("treats names that differ in case or qualifiers as one", async () => {
    const company = await newCompany();
    const text = newName();
    const { id } = await loggedIn(company, { nameId: { text, format: samlNames.persistent } });
    const nameId = { text: text.toUpperCase(), nameQualifier: "a", spNameQualifier: "b", spProvidedId: "c" };
    expect(await loggedIn(company, { nameId })).toMatchObject({ id });
  });

  it("treats names that only upper-casing makes equal as two", async () => {
    const company = await newCompany();
    const text = `mike-${randomUUID()}`;
    const { id } = await loggedIn(company, { nameId: { text } });
    const other = await loggedIn(company, { nameId: { text: text.replace("mike", "mıke") } });
    expect(other.id).not.toBe(id);
  });

  it("is denied with a page and no cookie when the identity provider reports a failure", async () => {
    const answer = await logIn(await newCompany(), { status: samlNames.responder });
    expect([answer.status, verdictOf(answer), answer.setCookie]).toEqual([200, "forbidden", undefined]);
    expect(answer.body).toMatch(
      /postMessage\(\{"type":"AUTH_ERROR","payload":\{"label":"forbidden","errors":\["Status: [^"]+"\]\}\}, '\*'\)/,
    );
    expect(answer.body).toContain(answer.headers.get("x-request-id"));
  });

  it("is denied when the identity provider reports a failure without an assertion, and stays open", async () => {
    const { registered, idp } = await newCompany();
    const request = await initiateLogin(registered);
    const answer = await finalizeLogin(registered, encodeXml(failureOf(idp, request)));
    expect([answer.status, verdictOf(answer), answer.setCookie]).toEqual([200, "forbidden", undefined]);
    expect(answer.body).toContain("Your company’s login did not let you in.");
    expect(answer.body).not.toContain("Wrong password");
    expect(verdictOf(await finalizeLogin(registered, idp.respond(request)))).toBe("success");
  });

  it("starts again when the identity provider has started it", async () => {
    const { registered, idp } = await newCompany();
    const request = await initiateLogin(registered);
    const answer = await finalizeLogin(registered, idp.respond(request, { inResponseTo: null }));
    expect([answer.status, answer.headers.get("location"), answer.setCookie]).toEqual([
      303,
      `/sso/initiate-login/${registered.id}`,
      undefined,
    ]);
  });

  it("is denied for a response that has been used", async () => {
    const { registered, idp } = await newCompany();
    const response = idp.respond(await initiateLogin(registered));
    expect(verdictOf(await finalizeLogin(registered, response))).toBe("success");
    const again = await finalizeLogin(registered, response);
    expect([verdictOf(again), again.setCookie]).toEqual(["forbidden", undefined]);
  });

  it("is denied for another assertion in answer to a request that has been answered", async () => {
    const { registered, idp } = await newCompany();
    const request = await initiateLogin(registered);
    expect(verdictOf(await finalizeLogin(registered, idp.respond(request)))).toBe("success");
    expect(verdictOf(await finalizeLogin(registered, idp.respond(request)))).toBe("forbidden");
  });

  it("is denied for an assertion that was used for another request", async () => {
    const { registered, idp } = await newCompany();
    const assertionId = `_${randomUUID()}`;
    const logInOnce = async () =>
      finalizeLogin(registered, idp.respond(await initiateLogin(registered), { assertionId }));
    expect(verdictOf(await logInOnce())).toBe("success");
    expect(verdictOf(await logInOnce())).toBe("forbidden");
  });

  it("is denied for the response to a request to another identity provider", async () => {
    const [company, other] = [await newCompany("v1"), await newCompany("v1")];
    const request = await initiateLogin(other.registered);
    const answer = await finalizeLogin(company.registered, company.idp.respond(request));
    expect(verdictOf(answer)).toBe("forbidden");
    expect(answer.body).toContain("InResponseTo");
  });

  it("gives its cookie the label of the query", async () => {
    const company = await newCompany();
    const answer = await logInBySaml(company.registered, company.idp, {}, { query: { label: "desktop" } });
    const { token } = await selfOf(answer.cookie);
    const { body } = await api("GET", "/cookies", { token });
    expect(body.cookies).toMatchObject([{ label: "desktop", type: "persistent" }]);
  });

  it("accepts a form in parts, and base64 with other characters in between", async () => {
    const { registered, idp } = await newCompany();
    const response = idp.respond(await initiateLogin(registered)).replaceAll(/.{76}/g, "$&\r\n*");
    const boundary = `${"-".repeat(24)}d74496d66958873e`;
    const part = `Content-Disposition: form-data; name="SAMLResponse"\r\n\r\n${response}`;
    const body = `--${boundary}\r\n${part}\r\n--${boundary}--\r\n`;
    const answer = await api("POST", `/sso/finalize-login/${registered.teamId}`, {
      body,
      headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    });
    expect(verdictOf(answer)).toBe("success");
  });

  it("accepts blanks that were inserted between the signed elements", async () => {
    const { registered, idp } = await newCompany();
    const request = await initiateLogin(registered);
    const spaced = idp.respond(request, {}, { tamper: (xml) => xml.replaceAll("><", "> <") });
    expect(verdictOf(await finalizeLogin(registered, spaced))).toBe("success");
  });
});

describe.concurrent("a login in an app", () => {
  it("redirects to the app with cookie and user id", async () => {
    const company = await newCompany();
    const answer = await logInBySaml(company.registered, company.idp, {}, mobile);
    const location = new URL(answer.headers.get("location") ?? "");
    const cookie = location.searchParams.get("cookie");
    expect([answer.status, answer.body, cookie]).toEqual([303, "", answer.setCookie]);
    expect(cookie).toMatch(/^zuid=.*Expires=.*HttpOnly; Secure$/);
    expect(location.searchParams.get("user")).toBe((await selfOf(answer.cookie)).id);
  });

  it("redirects to the app with the label of a denial", async () => {
    const company = await newCompany();
    const answer = await logInBySaml(
      company.registered,
      company.idp,
      { status: samlNames.responder },
      mobile,
    );
    expect([answer.status, answer.headers.get("location"), answer.setCookie]).toEqual([
      303,
      "svc://login/bad?label=forbidden",
      undefined,
    ]);
    expect(answer.body).toEqual([expect.stringContaining("Status")]);
  });

  it("redirects to the app with a failure that the identity provider reports without an assertion", async () => {
    const { registered, idp } = await newCompany();
    const request = await initiateLogin(registered, mobile);
    const answer = await finalizeLogin(registered, encodeXml(failureOf(idp, request)));
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "svc://login/bad?label=forbidden"]);
  });

  it("replaces placeholders whose first character is encoded", async () => {
    const company = await newCompany();
    const query = { success_redirect: "svc://ok?u=%24userid", error_redirect: "svc://bad" };
    const answer = await logInBySaml(company.registered, company.idp, {}, { query });
    expect(answer.headers.get("location")).toMatch(/^svc:\/\/ok\?u=[\da-f-]{36}$/);
  });

  it("is refused from the start when the app could not be told of a denial", async () => {
    const company = await newCompany();
    const query = { success_redirect: "svc://a:$cookie", error_redirect: "svc://bad" };
    const path = `/sso/initiate-login/${company.registered.id}?${new URLSearchParams(query)}`;
    expect(outcome(await api("GET", path))).toBe("400 bad-request");
  });
});

describe.concurrent("an unusable response", () => {
  it("is answered with a page that has a reference and no script", async () => {
    const { registered } = await newCompany();
    const answer = await finalizeLogin(registered, Buffer.from("no XML").toString("base64"));
    expect([answer.status, verdictOf(answer)]).toEqual([400, "bad-response-xml"]);
    expect(answer.body).not.toContain("<script");
    expect(answer.body).toContain(answer.headers.get("x-request-id"));
    expect(answer.headers.get("cache-control")).toBe("no-cache, no-store");
  });

  it("is one without its field", async () => {
    const answer = await api("POST", "/sso/finalize-login");
    expect([answer.status, verdictOf(answer)]).toEqual([400, "bad-response-saml"]);
  });

  it("is one in too large a form, or not in a form", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const tooLarge = await api("POST", "/sso/finalize-login", { body: "a".repeat(2_200_000), headers });
    expect([tooLarge.status, verdictOf(tooLarge)]).toEqual([413, "request-too-large"]);
    const noForm = await api("POST", "/sso/finalize-login", { json: {} });
    expect([noForm.status, verdictOf(noForm)]).toEqual([415, "unsupported-media-type"]);
  });

  it("is one from an unknown issuer", async () => {
    const { registered } = await newCompany();
    const stranger = await newIdentityProvider();
    const request = await initiateLogin(registered);
    const answer = await finalizeLogin(registered, stranger.respond(request));
    expect([answer.status, verdictOf(answer)]).toEqual([404, "not-found"]);
    const legacy = await finalizeLogin({ ...registered, apiVersion: "v1" }, stranger.respond(request));
    expect([legacy.status, verdictOf(legacy)]).toEqual([404, "not-found"]);
  });

  it("is one from an identity provider of the other version", async () => {
    for (const apiVersion of ["v1", "v2"] as const) {
      const company = await newCompany(apiVersion);
      const other = { ...company.registered, apiVersion: apiVersion === "v1" ? "v2" : "v1" } as const;
      const response = company.idp.respond(await initiateLogin(company.registered));
      const answer = await finalizeLogin(other, response);
      expect([answer.status, verdictOf(answer)]).toEqual([409, "cannot-mix-idp-api-verions"]);
    }
  });

  it("is one from an issuer that several teams share, which leaves the team unclear", async () => {
    const [company, other] = [await newCompany(), await newSsoTeam()];
    await createProvider(other.owner, company.idp.metadata(), { query: { api_version: "v2" } });
    const response = company.idp.respond(await initiateLogin(company.registered));
    const answer = await finalizeLogin({ ...company.registered, apiVersion: "v1" }, response);
    expect([answer.status, verdictOf(answer)]).toEqual([409, "idp-non-unique"]);
  });

  it("is one that names no issuer, or two", async () => {
    const { registered, idp } = await newCompany();
    const request = await initiateLogin(registered);
    const none = await finalizeLogin(registered, idp.respond(request, { responseIssuer: null }));
    expect([none.status, verdictOf(none)]).toEqual([400, "bad-response-saml"]);
    const two = await finalizeLogin(
      registered,
      idp.respond(request, { responseIssuer: "https://a.example" }),
    );
    expect([two.status, verdictOf(two)]).toEqual([403, "bad-response-saml"]);
  });

  it("is one whose assertion has no id", async () => {
    const { registered, idp } = await newCompany();
    const xml = idp.unsigned(await initiateLogin(registered), { assertionId: null });
    const answer = await finalizeLogin(registered, Buffer.from(xml).toString("base64"));
    expect([answer.status, verdictOf(answer)]).toEqual([400, "bad-response-saml"]);
  });

  it("is one with a comment in the name", async () => {
    const { registered, idp } = await newCompany();
    const request = await initiateLogin(registered);
    const response = idp.respond(
      request,
      { nameId: { text: "admin@company.example.attacker.example" } },
      { tamper: (xml) => xml.replace("company.example.", "company.example<!-- -->.") },
    );
    const answer = await finalizeLogin(registered, response);
    expect([answer.status, verdictOf(answer)]).toEqual([400, "bad-response-xml"]);
  });

  it("is one that has expired, or is valid for too long", async () => {
    const { registered, idp } = await newCompany();
    const request = await initiateLogin(registered);
    const now = Date.now();
    for (const notOnOrAfter of [now - 61_000, now + 7_300_000, null]) {
      const answer = await finalizeLogin(registered, idp.respond(request, { notOnOrAfter }));
      expect([answer.status, verdictOf(answer)]).toEqual([400, "ttl-error"]);
    }
    const tolerated = await finalizeLogin(registered, idp.respond(request, { notOnOrAfter: now - 30_000 }));
    expect(verdictOf(tolerated)).toBe("success");
  });

  it("is one that answers a request that never existed", async () => {
    const { registered, idp } = await newCompany();
    const request = { ...(await initiateLogin(registered)), id: `_${randomUUID()}` };
    const answer = await finalizeLogin(registered, idp.respond(request));
    expect([answer.status, verdictOf(answer)]).toEqual([500, "server-error"]);
  });

  it("is one signed with a key that the identity provider no longer has", async () => {
    const { team, idp, registered } = await newCompany();
    const key = await sharedKey("next");
    const { status } = await updateProvider(team.owner, registered.id, idp.metadata({ keys: [key] }));
    expect(status).toBe(200);
    const request = await initiateLogin(registered);
    const answer = await finalizeLogin(registered, idp.respond(request));
    expect([answer.status, verdictOf(answer)]).toEqual([400, "bad-response-signature"]);
    const renewed = await finalizeLogin(registered, idp.respond(request, {}, { key }));
    expect(verdictOf(renewed)).toBe("success");
  });

  it("is one from an identity provider whose only certificate cannot be used", async () => {
    const team = await newTeam();
    const idp = await newIdentityProvider({ key: await newSigningKey({ algorithm: "sha512" }) });
    const registered = await registerIdentityProvider(idp, team.id);
    const answer = await logInBySaml(registered, idp);
    expect([answer.status, verdictOf(answer)]).toEqual([500, "invalid-certificate"]);
  });
});

describe.concurrent("a SAML login", () => {
  it("ignores what another team's provider with the same issuer says in version 2", async () => {
    const company = await newCompany();
    const nameId = { text: newName() };
    const squatters = await newSsoTeam();
    const own = { ...company.idp, key: await newSigningKey() };
    const created = await createProvider(squatters.owner, own.metadata({ keys: [own.key] }), {
      query: { api_version: "v2" },
    });
    const registered = { id: created.body.id, teamId: squatters.id, apiVersion: "v2" } as const;
    const request = await initiateLogin(registered);
    const signed = own.respond(request, { nameId }, { key: own.key });
    expect(verdictOf(await finalizeLogin(registered, signed))).toBe("success");
    const user = await loggedIn(company, { nameId });
    expect(user).toMatchObject({ team: company.team.id });
    expect(await loggedIn(company, { nameId })).toMatchObject({ id: user.id });
  });

  it("admits users whom the team has known since before identities had a team, and nobody of another team", async () => {
    const company = await newCompany();
    const [name, stranger] = [newName(), newName()];
    const { id } = await company.team.add("member", knownTo(company.idp.issuer, name));
    await (await newSsoTeam()).add("member", knownTo(company.idp.issuer, stranger));
    expect(await loggedIn(company, { nameId: { text: name } })).toMatchObject({ id });
    expect(await loggedIn(company, { nameId: { text: stranger } })).toMatchObject({ team: company.team.id });
  });

  it("admits no suspended user, until the suspension ends", async () => {
    const company = await newCompany();
    const nameId = { text: newName() };
    const { id } = await loggedIn(company, { nameId });
    await setStatus(id, "suspended");
    expect(verdictOf(await logIn(company, { nameId }))).toBe("suspended");
    await setStatus(id, "active");
    expect(await loggedIn(company, { nameId })).toMatchObject({ id });
  });

  it("admits nobody whose name is not usable", async () => {
    const company = await newCompany();
    expect(verdictOf(await logIn(company, { nameId: { text: "a".repeat(129) } }))).toBe("bad-username");
    expect(verdictOf(await logIn(company, { nameId: { text: "🚲".repeat(128) } }))).toBe("success");
  });

  it("creates no account in a team with a directory, but admits existing users", async () => {
    const company = await newCompany();
    const nameId = { text: newName() };
    const { id } = await loggedIn(company, { nameId });
    await provisioningData().newToken(company.team.id);
    expect(verdictOf(await logIn(company))).toBe("not-found");
    expect(await loggedIn(company, { nameId })).toMatchObject({ id });
  });

  it("creates a new account for a user who was removed from the team", async () => {
    const company = await newCompany();
    const nameId = { text: newName() };
    const { id } = await loggedIn(company, { nameId });
    expect((await removeMember(company.team, company.team.owner, { id })).status).toBe(202);
    const again = await loggedIn(company, { nameId });
    expect(again.id).not.toBe(id);
    expect(again.team).toBe(company.team.id);
  });

  it("admits nobody in a team that is suspended", async () => {
    const company = await newCompany();
    const nameId = { text: newName() };
    await internalApi("POST", `/i/teams/${company.team.id}/suspend`);
    expect(verdictOf(await logIn(company, { nameId }))).toBe("no-team");
  });
});

describe.concurrent("an identity provider with a new issuer", () => {
  /** A user who is known, and the identity provider under its next issuer. */
  async function movedCompany(apiVersion?: "v1") {
    const company = await newCompany(apiVersion);
    const nameId = { text: newName() };
    const before = await loggedIn(company, { nameId });
    const idp = await newIdentityProvider();
    const { status } = await updateProvider(company.team.owner, company.registered.id, idp.metadata());
    expect(status).toBe(200);
    return { company: { ...company, idp }, before, nameId };
  }

  it("admits users known under the former one, and moves them", async () => {
    const { company, before, nameId } = await movedCompany();
    const after = await loggedIn(company, { nameId });
    expect(after.id).toBe(before.id);
    expect(after.sso_id.tenant).toContain(company.idp.issuer);
    await eventually(async () => {
      const [update] = (await storedEvents(after.token, "user.update")).slice(-1);
      expect(update).toMatchObject({ user: { id: before.id, sso_id: after.sso_id } });
    });
    const { id: teamId, owner } = company.team;
    await eventually(async () => {
      const { body } = await api("GET", `/teams/${teamId}/search`, owner);
      const found = body.documents.find(({ id }: { id: string }) => id === before.id);
      expect(found?.saml_idp).toBe(company.idp.issuer);
    });
    expect(await loggedIn(company, { nameId })).toMatchObject({ id: before.id });
  });

  it.each(["v1", "v2"] as const)(
    "no longer admits anybody with the former one, in %s",
    async (apiVersion) => {
      const { company, before, nameId } = await movedCompany(apiVersion === "v1" ? apiVersion : undefined);
      const other = await newSsoTeam();
      const former = await newIdentityProvider({
        issuer: before.sso_id.tenant.replace(/<[^>]*>/g, ""),
      });
      const created = await createProvider(other.owner, former.metadata(), {
        query: { api_version: apiVersion },
      });
      const registered = { id: created.body.id, teamId: other.id, apiVersion };
      if (apiVersion === "v1") {
        expect(verdictOf(await logIn({ registered, idp: former }, { nameId }))).toBe("bad-team");
        await loggedIn(company, { nameId });
      }
      const newcomer = await loggedIn({ registered, idp: former }, { nameId });
      expect(newcomer).toMatchObject({ team: other.id });
      expect(newcomer.id).not.toBe(before.id);
    },
  );
});

describe.concurrent("an identity provider that was replaced", () => {
  it("admits known users and nobody new, until they have moved", async () => {
    const company = await newCompany();
    const nameId = { text: newName() };
    const { id } = await loggedIn(company, { nameId });
    const idp = await newIdentityProvider();
    const created = await createProvider(company.team.owner, idp.metadata(), {
      query: { api_version: "v2", replaces: company.registered.id },
    });
    expect(created.status).toBe(201);
    const replacing = { idp, registered: { ...company.registered, id: created.body.id } };

    expect(await loggedIn(company, { nameId })).toMatchObject({ id });
    expect(verdictOf(await logIn(company))).toBe("cannont-provision-on-replaced-idp");
    expect(await loggedIn(replacing, { nameId })).toMatchObject({ id });
    expect(verdictOf(await logIn(company, { nameId }))).toBe("cannont-provision-on-replaced-idp");
    expect((await loggedIn(replacing)).id).not.toBe(id);
  });
});

describe.concurrent("the white space around a name", () => {
  const padded = (text: string) => ({ nameId: { text: `\n    ${text}\n  ` } });

  it("neither makes another account nor gets into the user's name", async () => {
    const company = await newCompany();
    const name = newName();
    const first = await loggedIn(company, padded(`${name}\n  of the engines`));
    expect(first.name).toBe(`${name} of the engines`);
    const again = await loggedIn(company, { nameId: { text: `${name}\n  of the engines` } });
    expect(again.id).toBe(first.id);
  });

  it.each(["v1", "v2"] as const)(
    "is no obstacle for a user whose identity was stored with it, at a provider of %s",
    async (apiVersion) => {
      const company = await newCompany(apiVersion);
      const name = newName();
      const { id } = await loggedIn(company, { nameId: { text: name } });
      const teamId = apiVersion === "v1" ? {} : { teamId: company.team.id };
      const samlIdentity = { issuer: company.idp.issuer, nameId: padded(name).nameId, ...teamId };
      await accountEditor().change({ id }, { samlIdentity });
      expect((await loggedIn(company, padded(name))).id).toBe(id);
    },
  );
});

describe.concurrent("an email address as a name", () => {
  const named = (text: string) => ({ nameId: { text, format: samlNames.email } });
  const setFeature = (team: Team, status: string) =>
    internalApi("PUT", `/i/teams/${team.id}/features/validateSAMLemails`, { json: { status } });

  it("belongs to the account once it is activated", async () => {
    const company = await newCompany();
    const email = newEmail();
    const self = await loggedIn(company, named(email));
    expect(self).not.toHaveProperty("email");
    const pending = await internalApi("GET", `/i/users/activation-code?${new URLSearchParams({ email })}`);
    const { code } = pending.body;
    expect((await api("POST", "/activate", { json: { email, code } })).status).toBe(200);
    expect((await api("GET", "/self", { token: self.token })).body).toMatchObject({ email });
  });

  it("belongs to the account immediately where the team trusts it", async () => {
    const company = await newCompany();
    expect((await setFeature(company.team, "disabled")).status).toBe(200);
    const guest = `ada_${randomUUID()}.example#EXT#@tenant.example`;
    for (const email of [newEmail(), guest])
      expect(await loggedIn(company, named(email))).toMatchObject({ email });
  });

  it("is taken by an owner who confirms it, even if the team trusts it, and the account remains", async () => {
    const company = await newCompany();
    await setFeature(company.team, "disabled");
    const email = newEmail();
    const self = await loggedIn(company, named(email));
    const { body: owner } = await register({ email });
    expect((await activate({ email })).body).toEqual({ email, first: true });

    const after = await loggedIn(company, named(email));
    expect(after).toMatchObject({ id: self.id, sso_id: self.sso_id });
    expect(after).not.toHaveProperty("email");
    expect(owner.id).not.toBe(self.id);
    await eventually(async () =>
      expect(await storedEvents(self.token, "user.identity-remove")).toMatchObject([
        { user: { id: self.id, email } },
      ]),
    );
  });

  it("of another user is refused after the account is created, so that the account has no address", async () => {
    const company = await newCompany();
    const email = newEmail();
    await company.team.add("member", { email });
    const answer = await logIn(company, named(email));
    expect([answer.status, verdictOf(answer), answer.setCookie]).toEqual([200, "key-exists", undefined]);
    const self = await loggedIn(company, named(email));
    expect(self).not.toHaveProperty("email");
  });
});
