import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { answerCompany, type Company, newCompany, newEmployee, newName } from "../../support/companies.ts";
import { newSsoTeam, registeredProvider } from "../../support/identity-providers.ts";
import { newApp, newTokens } from "../../support/oauth.ts";
import { type PageVisitor, pageVisitor } from "../../support/page-visitor.ts";
import { finalizeLogin, initiateLogin, type NameId, readLoginPage, verdictOf } from "../../support/saml.ts";
import { stackWith } from "../../support/stack-with.ts";
import type { User } from "../../support/users.ts";

/** Opens the page, enters the company, and follows to the page that posts to its identity provider. */
async function leave(visitor: PageVisitor, company: string) {
  await visitor.open("/account/profile");
  const { location } = await visitor.post("/account/company", { company });
  const page = await visitor.open(location ?? "");
  return { location: location ?? "", request: readLoginPage(page.text) };
}

/** A user who has logged in through a company. */
async function employee(company: Company, nameId: NameId): Promise<PageVisitor> {
  const visitor = pageVisitor();
  const { request } = await leave(visitor, company.registered.id);
  const { location } = await answerCompany(company, request, { nameId });
  await visitor.open(location);
  return visitor;
}

const ended = /^Your session has ended/;

describe.concurrent("logging in through a company on the account pages", () => {
  it("leads to the user's own account, with a session of these pages and nothing else", async () => {
    const company = await newCompany();
    const nameId = newName();
    await newEmployee(company, nameId);
    const visitor = pageVisitor();
    const { location, request } = await leave(visitor, ` svc-${company.registered.id.toUpperCase()} `);
    expect(location).toMatch(new RegExp(`^/sso/initiate-login/${company.registered.id}\\?order=[\\w.-]+$`));
    expect(request.action).toBe(company.idp.requestUri);

    const answer = await answerCompany(company, request, { nameId });
    expect([answer.status, answer.cookie]).toEqual([303, undefined]);
    expect(answer.location).toMatch(/^\/account\/company\?proof=[\w.-]+$/);
    const back = await visitor.open(answer.location);
    expect([back.status, back.location]).toEqual([303, "/account/profile"]);
    const page = await visitor.open("/account/profile");
    expect([page.heading, page.text.includes(nameId.text)]).toEqual(["Profile", true]);
    expect((await visitor.open("/account/sessions")).text).toContain("These pages (this browser)");
    const cookie = visitor.cookies.get("account-session") ?? "";
    expect(outcome(await api("GET", "/self", { token: cookie }))).toBe("401 unauthorized");
    expect((await visitor.submit("/account/logout")).note).toBe("You are logged out.");
  });

  it("begins with the code in a link, which the form then contains", async () => {
    const { registered } = await newCompany();
    const { text } = await pageVisitor().open(`/account/profile?company=svc-${registered.id}`);
    expect(text).toContain(`name="company" value="svc-${registered.id}"`);
    const forged = await pageVisitor().open("/account/profile?company=%22%3E%3Cscript%3E");
    expect(forged.text).not.toContain("<script>");
  });

  it("reports a code or address that no company has, and leads nowhere else", async () => {
    const visitor = pageVisitor();
    await visitor.open("/account/profile");
    const companies = ["nobody@example.com", "https://evil.example.com", "//evil.example.com", "x"];
    for (const company of companies)
      expect((await visitor.submit("/account/company", { company })).note).toBe(
        "No company with this code or address lets people log in here.",
      );
    const { location } = await visitor.post("/account/company", { company: randomUUID() });
    const unknown = await visitor.open(location ?? "");
    expect([unknown.status, unknown.heading]).toEqual([404, "The login didn’t work"]);
  });

  it("creates no account", async () => {
    const company = await newCompany();
    const visitor = pageVisitor();
    const { request } = await leave(visitor, company.registered.id);
    const denied = await finalizeLogin(company.registered, company.idp.respond(request));
    expect([denied.status, verdictOf(denied), denied.cookie]).toEqual([200, "not-found", undefined]);
    expect(denied.body).toContain("There is no account for you");
    const { body } = await api("GET", `/teams/${company.team.id}/members`, company.team.owner);
    expect(body.members).toHaveLength(1);
  });

  it("refuses suspended people", async () => {
    const company = await newCompany();
    const nameId = newName();
    const user = await company.team.add("member", {
      provisioned: { samlIdentity: { issuer: company.idp.issuer, nameId: { text: nameId.text } } },
    });
    await internalApi("PUT", `/i/users/${user.id}/status`, { json: { status: "suspended" } });
    const { request } = await leave(pageVisitor(), company.registered.id);
    const denied = await finalizeLogin(company.registered, company.idp.respond(request, { nameId }));
    expect(verdictOf(denied)).toBe("suspended");
  });
});

describe("the company of an address", () => {
  it("is the company that owns its domain; for an empty address, it is the default", async () => {
    const own = await stackWith({
      domainVerification: { resolvers: ["127.0.0.1:9"] },
    });
    const [first, second] = [await newSsoTeam(own), await newSsoTeam(own)];
    const [ofDomain, byDefault] = [
      await registeredProvider(first, { query: { api_version: "v2" }, publicApi: own.publicApi }),
      await registeredProvider(second, { query: { api_version: "v2" }, publicApi: own.publicApi }),
    ];
    const registration = {
      domain_redirect: "sso",
      sso_code: ofDomain.id,
      team_invite: "allowed",
    };
    const registered = await own.internalApi("PUT", "/i/domain-registration/engines.example.com", {
      json: registration,
    });
    expect(registered.status).toBeLessThan(300);
    const start = async (company: string) => {
      const visitor = pageVisitor(own);
      await visitor.open("/account/profile");
      return (await visitor.post("/account/company", { company })).location ?? "";
    };
    expect(await start("Ada@Engines.example.com")).toMatch(`/sso/initiate-login/${ofDomain.id}?order=`);
    expect(await start("ada@other.example.com")).toBe("/account/profile");
    for (const nothing of ["", " "]) expect(await start(nothing)).toBe("/account/profile");
    const choose = (default_sso_code: string | null) =>
      own.internalApi("PUT", "/i/sso/settings", { json: { default_sso_code } });
    await choose(byDefault.id);
    // The shared stack has one default for all tests.
    onTestFinished(async () => {
      await choose(null);
    });
    expect(await start("")).toMatch(`/sso/initiate-login/${byDefault.id}?order=`);
  });
});

describe.concurrent("an attacker", () => {
  it("logs nobody in as somebody else, with a proof or a response of another browser", async () => {
    const company = await newCompany();
    const [own, theirs] = [newName(), newName()];
    await Promise.all([newEmployee(company, own), newEmployee(company, theirs)]);
    const [attacker, victim] = [pageVisitor(), pageVisitor()];
    const { request } = await leave(attacker, company.registered.id);
    const { location } = await answerCompany(company, request, { nameId: own });

    await victim.open("/account/profile");
    expect((await victim.open(location)).location).toBe("/account/profile");
    const after = await victim.open("/account/profile");
    expect([after.heading, after.note]).toEqual(["Log in", expect.stringMatching(ended)]);
    const stranger = await pageVisitor().open(location);
    expect(stranger.location).toBe("/account/profile");

    // A browser that waits for an answer of its own must refuse it, too.
    const waiting = pageVisitor();
    await leave(waiting, company.registered.id);
    await waiting.open(location);
    expect((await waiting.open("/account/profile")).heading).toBe("Log in");
  });

  it("gets nothing from a victim who follows the link of the attacker's login", async () => {
    const company = await newCompany();
    const theirs = newName();
    await newEmployee(company, theirs);
    const [attacker, victim] = [pageVisitor(), pageVisitor()];
    const { location: link } = await leave(attacker, company.registered.id);
    const { text } = await victim.open(link);
    const { location } = await answerCompany(company, readLoginPage(text), { nameId: theirs });
    await victim.open(location);
    expect((await victim.open("/account/profile")).heading).toBe("Log in");
    expect((await attacker.open("/account/profile")).heading).toBe("Log in");
  });

  it("cannot replace somebody's session with any proof", async () => {
    const company = await newCompany();
    const [own, theirs] = [newName(), newName()];
    await Promise.all([newEmployee(company, own), newEmployee(company, theirs)]);
    const victim = await employee(company, theirs);
    const { request } = await leave(pageVisitor(), company.registered.id);
    const { location } = await answerCompany(company, request, { nameId: own });
    await victim.open(location);
    expect((await victim.open("/account/profile")).text).toContain(theirs.text);
  });

  it("cannot use a response or a proof twice", async () => {
    const company = await newCompany();
    const nameId = newName();
    await newEmployee(company, nameId);
    const visitor = pageVisitor();
    const { request } = await leave(visitor, company.registered.id);
    const response = company.idp.respond(request, { nameId });
    const { headers } = await finalizeLogin(company.registered, response);
    const location = headers.get("location") ?? "";
    expect(verdictOf(await finalizeLogin(company.registered, response))).toBe("forbidden");
    await visitor.open(location);
    await visitor.open("/account/profile");
    await visitor.submit("/account/logout");
    await visitor.open(location);
    expect((await visitor.open("/account/profile")).heading).toBe("Log in");
  });

  it("cannot use a token as one of another kind, or an order for another company", async () => {
    const [company, other] = await Promise.all([newCompany(), newCompany()]);
    const visitor = pageVisitor();
    const { location } = await leave(visitor, company.registered.id);
    const order = new URLSearchParams(location.split("?")[1]).get("order") ?? "";
    const cookie = visitor.cookies.get("account-session") ?? "";
    const [head = "", claims = "", signature = ""] = order.split(".");
    const start = (id: string, query: Record<string, string>) =>
      api("GET", `/sso/initiate-login/${id}?${new URLSearchParams(query)}`);
    for (const forged of [cookie, `${head}.${claims}x.${signature}`, "", "x"])
      expect(outcome(await start(company.registered.id, { order: forged }))).toBe("400 bad-request");
    expect(outcome(await start(other.registered.id, { order }))).toBe("400 bad-request");
    const redirects = { success_redirect: "svc://a?$cookie", error_redirect: "svc://b" };
    expect(outcome(await start(company.registered.id, { order, ...redirects }))).toBe("400 bad-request");
    for (const proof of [order, cookie, "x"]) {
      const fresh = pageVisitor();
      fresh.cookies.set("account-session", cookie);
      await fresh.open(`/account/company?proof=${proof}`);
      expect((await fresh.open("/account/profile")).heading).toBe("Log in");
    }
  });

  it("cannot answer a login of the pages with a response to another kind of login, or the reverse", async () => {
    const company = await newCompany();
    const nameId = newName();
    await newEmployee(company, nameId);
    const visitor = pageVisitor();
    const { request } = await leave(visitor, company.registered.id);
    const ordinary = await initiateLogin(company.registered);
    const mixed = company.idp.respond(request, { nameId, inResponseTo: `_${randomUUID()}` });
    expect((await finalizeLogin(company.registered, mixed)).status).not.toBe(303);
    const usual = await finalizeLogin(company.registered, company.idp.respond(ordinary, { nameId }));
    expect([verdictOf(usual), usual.headers.get("location")]).toEqual(["success", null]);
    const { cookie, status } = await finalizeLogin(
      company.registered,
      company.idp.respond(request, { nameId }),
    );
    expect([status, cookie]).toEqual([303, undefined]);
  });

  it("cannot start a login with a form of another site or another session", async () => {
    const { registered } = await newCompany();
    const visitor = pageVisitor();
    await visitor.open("/account/profile");
    const headers = { origin: "https://evil.example.com" };
    const foreign = await visitor.post("/account/company", { company: registered.id }, { headers });
    expect(foreign.status).toBe(400);
    const forged = await visitor.post("/account/company", { company: registered.id }, { token: "forged" });
    expect([forged.status, forged.location]).toEqual([303, "/account/profile"]);
    const token = visitor.formToken();
    const stolen = await pageVisitor().post("/account/company", { company: registered.id }, { token });
    expect(stolen.location).toBe("/account/profile");
    expect((await api("HEAD", "/account/company?proof=x")).status).toBe(405);
  });
});

describe.concurrent("the account of an employee", () => {
  it("has no form for a password, and needs no password for sessions and apps", async () => {
    const company = await newCompany();
    const nameId = newName();
    await newEmployee(company, nameId);
    const visitor = await employee(company, nameId);
    const { text } = await visitor.open("/account/security");
    expect(text).toContain("You log in through your organisation, and this account has no password.");
    expect(text).toContain("It decides whether that takes a second factor.");
    expect(text).not.toContain('type="password"');
    const refused = await visitor.submit("/account/password", {
      password: "nothing",
      new_password: "another horse battery",
    });
    expect(refused.note).toMatch("Your organisation manages this.");

    const sessions = await visitor.open("/account/sessions");
    expect(sessions.text).not.toContain('type="password"');
    const { note } = await visitor.submit("/account/sessions", { which: "all" });
    expect(note).toBe("You are logged out everywhere.");
  });

  it("revokes an app without a password", async () => {
    const company = await newCompany();
    const nameId = newName();
    await newEmployee(company, nameId);
    const request = await initiateLogin(company.registered);
    const { cookie } = await finalizeLogin(company.registered, company.idp.respond(request, { nameId }));
    const { body } = await api("POST", "/access", { cookie });
    const app = await newApp();
    await newTokens(app, { token: body.access_token } as User);
    const visitor = await employee(company, nameId);
    expect((await visitor.open("/account/apps")).text).not.toContain('type="password"');
    expect((await visitor.submit("/account/apps", { app: app.client_id })).note).toBe(
      "The app no longer has access.",
    );
  });

  it("can be deleted only by the organisation", async () => {
    const company = await newCompany();
    const nameId = newName();
    await newEmployee(company, nameId);
    const visitor = await employee(company, nameId);
    const { heading, text } = await visitor.open("/account/deletion");
    expect(heading).toBe("Delete account");
    expect(text).toContain("Your organisation manages this account. Ask its administrators to delete it.");
    expect(text).not.toContain('action="/account/deletion"');
    const { note } = await visitor.submit("/account/deletion", { password: "anything" });
    expect(note).toMatch("Your organisation manages this.");
    expect((await visitor.open("/account/profile")).heading).toBe("Profile");
  });

  it("leaves name, handle, language and deletion to a directory, and the password to its user", async () => {
    const { team } = await newCompany();
    const user = await team.add("member", { provisioned: { managedByScim: true } });
    const visitor = pageVisitor();
    await visitor.open("/account/profile");
    const page = await visitor.submit("/account/login", { identity: user.email, password: user.password });
    for (const field of ["name", "handle", "language"])
      expect(page.text).not.toContain(`action="/account/${field}"`);
    expect((await visitor.open("/account/deletion")).text).toContain(
      "Your organisation manages this account.",
    );
    expect((await visitor.submit("/account/deletion", { password: user.password })).note).toMatch(
      "Your organisation manages this.",
    );
    expect(outcome(await api("GET", "/self", { token: user.token }))).toBe("200");
    const passwords = { password: user.password, new_password: "another horse battery" };
    expect((await visitor.submit("/account/password", passwords)).note).toMatch("Your password is changed.");
  });
});
