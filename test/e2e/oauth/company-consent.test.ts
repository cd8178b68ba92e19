import { randomUUID } from "node:crypto";
import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import { outcome } from "../../support/api.ts";
import { answerCompany, newCompany, newEmployee, newName } from "../../support/companies.ts";
import { newApp, pkce, redeem, redirectQuery, requestOf } from "../../support/oauth.ts";
import { type PageVisitor, pageVisitor } from "../../support/page-visitor.ts";
import { finalizeLogin, readLoginPage, verdictOf } from "../../support/saml.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser, type User } from "../../support/users.ts";

const own = await stackWith({ setOAuthOpenIdEnabled: true });
const timed = await stackWith({ setOAuthPageSessionSecs: 600 }, { isClockStopped: true });

const heading = { logIn: "Log in", consent: "Let “Calendar” access your account?" };

/** An authorization request as a path, at a step. */
const pathOf = (request: Record<string, string>, step = "") =>
  `/authorize${step}?${new URLSearchParams(request)}`;

/** Opens the page of a request, enters the company, and follows to the page that posts to its identity provider. */
async function leave(visitor: PageVisitor, request: Record<string, string>, company: string) {
  await visitor.open(pathOf(request));
  const { location } = await visitor.post(pathOf(request, "/company"), { company });
  const { text } = await visitor.open(location ?? "");
  return readLoginPage(text);
}

const allow = (visitor: PageVisitor, request: Record<string, string>) =>
  visitor.post(pathOf(request, "/decision"), { decision: "allow" });

/** Logs in on the account pages. */
async function logInToAccount(visitor: PageVisitor, { email, password }: User) {
  await visitor.open("/account/profile");
  const page = await visitor.submit("/account/login", { identity: email, password });
  expect(page.heading).toBe("Profile");
}

describe.concurrent("logging in through a company for an app", () => {
  it("lets an employee allow the app", async () => {
    const [company, app] = await Promise.all([newCompany(), newApp()]);
    const nameId = await newEmployee(company);
    const visitor = pageVisitor();
    const { verifier, challenge } = pkce();
    const request = requestOf(app, { challenge, scope: "read:self", state: "a&b=ü" });
    const login = await leave(visitor, request, `svc-${company.registered.id}`);
    expect(login.xml).not.toContain("ForceAuthn");
    const answer = await answerCompany(company, login, { nameId });
    expect([answer.status, answer.cookie]).toEqual([303, undefined]);

    const back = await visitor.open(answer.location);
    expect([back.status, back.location]).toEqual([303, pathOf(request)]);
    const page = await visitor.open(back.location ?? "");
    expect([page.heading, page.text.includes(nameId.text)]).toEqual([heading.consent, true]);
    const decided = await allow(visitor, request);
    const query = redirectQuery(decided);
    expect(query.get("state")).toBe("a&b=ü");
    const { status, body } = await redeem(app, { code: query.get("code") ?? "", verifier });
    expect([status, body.token_type]).toEqual([200, "Bearer"]);
  });

  it("reports a company that is unknown, and leads nowhere else", async () => {
    const visitor = pageVisitor();
    const request = requestOf(await newApp());
    for (const company of ["nobody@example.com", "//evil.example.com", ""]) {
      await visitor.open(pathOf(request));
      const page = await visitor.submit(pathOf(request, "/company"), { company });
      expect([page.heading, page.note]).toEqual([
        heading.logIn,
        "No company with this code or address lets people log in here.",
      ]);
    }
  });

  it("begins only with a form of the page", async () => {
    const { registered } = await newCompany();
    const visitor = pageVisitor();
    const request = requestOf(await newApp());
    const path = pathOf(request, "/company");
    await visitor.open(pathOf(request));
    const headers = { origin: "https://evil.example.com" };
    const foreign = await visitor.post(path, { company: registered.id }, { headers });
    expect(foreign.status).toBe(400);
    const forged = await visitor.post(path, { company: registered.id }, { token: "forged" });
    expect(forged.location).toBe(pathOf(request));
    const stolen = { token: visitor.formToken() };
    const other = await pageVisitor().post(path, { company: registered.id }, stolen);
    expect(other.location).toBe(pathOf(request));
  });

  it("does nothing in another browser, twice, or with a token of another kind", async () => {
    const [company, app] = await Promise.all([newCompany(), newApp()]);
    const nameId = await newEmployee(company);
    const [attacker, victim] = [pageVisitor(), pageVisitor()];
    const request = requestOf(app);
    const { location } = await answerCompany(company, await leave(attacker, request, company.registered.id), {
      nameId,
    });
    await victim.open(pathOf(request));
    for (const path of [location, location, pathOf({ ...request, proof: "x" }, "/company")]) {
      expect((await victim.open(path)).location).toBe(pathOf(request));
      const page = await victim.open(pathOf(request));
      expect([page.heading, page.note]).toEqual([
        heading.logIn,
        expect.stringMatching(/^Your session has ended/),
      ]);
    }
    expect((await pageVisitor().open(location)).location).toBe(pathOf(request));
    const cookie = attacker.cookies.get("authorize-session") ?? "";
    await attacker.open(pathOf({ ...request, proof: cookie }, "/company"));
    expect((await attacker.open(pathOf(request))).heading).toBe(heading.logIn);
  });

  it("gives the account pages nothing", async () => {
    const [company, app] = await Promise.all([newCompany(), newApp()]);
    const nameId = await newEmployee(company);
    const visitor = pageVisitor();
    const { location } = await answerCompany(
      company,
      await leave(visitor, requestOf(app), company.registered.id),
      { nameId },
    );
    const proof = new URLSearchParams(location.split("?")[1]).get("proof") ?? "";
    await visitor.open("/account/profile");
    await visitor.open(`/account/company?proof=${proof}`);
    expect((await visitor.open("/account/profile")).heading).toBe(heading.logIn);
  });

  it("refuses redirect URLs of others", async () => {
    const request = { ...requestOf(await newApp()), redirect_uri: "https://evil.example.com/" };
    const answer = await pageVisitor().open(pathOf({ ...request, proof: "x" }, "/company"));
    expect([answer.status, answer.location]).toEqual([400, null]);
    const gone = { ...requestOf(await newApp()), client_id: randomUUID() };
    expect((await pageVisitor().open(pathOf({ ...gone, proof: "x" }, "/company"))).status).toBe(404);
  });

  it("asks the company for a fresh login where the app wants one, and refuses an old one", async () => {
    const [company, app] = await Promise.all([newCompany(own), newApp({}, own)]);
    const nameId = await newEmployee(company, newName(), own);
    const { verifier, challenge } = pkce();
    const wishes: Record<string, string>[] = [{ prompt: "login" }, { max_age: "60" }];
    for (const wish of wishes) {
      const visitor = pageVisitor(own);
      const request = { ...requestOf(app, { challenge, scope: "openid" }), ...wish };
      const login = await leave(visitor, request, company.registered.id);
      expect(login.xml).toContain('ForceAuthn="true"');
      const old = company.idp.respond(login, { nameId, authnInstant: Date.now() - 120_000 });
      const denied = await finalizeLogin(company.registered, old, own);
      expect([denied.status, verdictOf(denied)]).toEqual([200, "forbidden"]);

      const again = await leave(visitor, request, company.registered.id);
      const { location } = await answerCompany(company, again, { nameId }, own);
      const back = await visitor.open(location);
      expect((await visitor.open(back.location ?? "")).heading).toBe(heading.consent);
      const decided = await visitor.post((back.location ?? "").replace("?", "/decision?"), {
        decision: "allow",
      });
      const code = redirectQuery(decided).get("code") ?? "";
      const { body } = await redeem(app, { code, verifier }, {}, own);
      expect(Math.abs(Number(decodeJwt(body.id_token).auth_time) - Date.now() / 1000)).toBeLessThan(60);
    }
  });

  it("tells the app when the company has asked the person to log in", async () => {
    const [company, app] = await Promise.all([newCompany(own), newApp({}, own)]);
    const nameId = await newEmployee(company, newName(), own);
    const { verifier, challenge } = pkce();
    const visitor = pageVisitor(own);
    const request = requestOf(app, { challenge, scope: "openid" });
    const login = await leave(visitor, request, company.registered.id);
    const authnInstant = (Math.floor(Date.now() / 1000) - 3600) * 1000;
    const { location } = await answerCompany(company, login, { nameId, authnInstant }, own);
    const back = await visitor.open(location);
    await visitor.open(back.location ?? "");
    const code = redirectQuery(await allow(visitor, request)).get("code") ?? "";
    const { body } = await redeem(app, { code, verifier }, {}, own);
    expect(decodeJwt(body.id_token).auth_time).toBe(authnInstant / 1000);
  });
});

describe.concurrent("a login on the account pages", () => {
  it("counts for apps, until it ends", async () => {
    const [user, app] = await Promise.all([newUser(), newApp()]);
    const visitor = pageVisitor();
    await logInToAccount(visitor, user);
    const request = requestOf(app);
    const page = await visitor.open(pathOf(request));
    expect([page.heading, page.text.includes(user.email)]).toEqual([heading.consent, true]);
    expect(redirectQuery(await allow(visitor, request)).get("code")).toMatch(/./);

    await visitor.open("/account/profile");
    const cookie = visitor.cookies.get("account-session") ?? "";
    await visitor.submit("/account/logout");
    visitor.cookies.set("account-session", cookie);
    expect((await visitor.open(pathOf(request))).heading).toBe(heading.logIn);
    expect((await allow(visitor, request)).location).toBe(pathOf(request));
  });

  it("gives way to another account, if the person wants that", async () => {
    const [first, second, app] = await Promise.all([newUser(), newUser(), newApp()]);
    const visitor = pageVisitor();
    await logInToAccount(visitor, first);
    const request = requestOf(app);
    await visitor.open(pathOf(request));
    expect((await visitor.submit(pathOf(request, "/logout"))).heading).toBe(heading.logIn);
    const fields = { identity: second.email, password: second.password };
    const page = await visitor.submit(pathOf(request, "/login"), fields);
    expect([page.heading, page.text.includes(second.email)]).toEqual([heading.consent, true]);
    expect((await visitor.open("/account/profile")).text).toContain(first.email);
  });

  it("needs the form of this browser for every decision", async () => {
    const [user, app] = await Promise.all([newUser(), newApp()]);
    const visitor = pageVisitor();
    await logInToAccount(visitor, user);
    const request = requestOf(app);
    await visitor.open(pathOf(request));
    const foreign = await visitor.post(
      pathOf(request, "/decision"),
      { decision: "allow" },
      { headers: { origin: "https://evil.example.com" } },
    );
    expect(foreign.status).toBe(400);
    const attacker = pageVisitor();
    await attacker.open(pathOf(request));
    const token = attacker.formToken();
    const forged = await visitor.post(pathOf(request, "/decision"), { decision: "allow" }, { token });
    expect(forged.location).toBe(pathOf(request));
  });

  it("must be as recent as one for the app, where the app may change something", async () => {
    const [user, app] = await Promise.all([newUser({}, timed), newApp({}, timed)]);
    const visitor = pageVisitor(timed);
    await logInToAccount(visitor, user);
    const writing = requestOf(app, { scope: "read:self write:conversations" });
    expect((await visitor.open(pathOf(writing))).heading).toBe(heading.consent);
    timed.advance(601);
    expect((await allow(visitor, writing)).location).toBe(pathOf(writing));
    expect((await visitor.open(pathOf(writing))).heading).toBe(heading.logIn);
    expect((await visitor.open(pathOf(requestOf(app)))).heading).toBe(heading.consent);
  });

  it("ends when the person logs out for an app", async () => {
    const [user, app] = await Promise.all([newUser({}, own), newApp({}, own)]);
    const visitor = pageVisitor(own);
    await logInToAccount(visitor, user);
    const path = "/authorize/end-session";
    expect((await visitor.open(path)).heading).toBe("Log out?");
    const forged = await visitor.post(`${path}/confirmation?`, {}, { token: "forged" });
    expect(forged.status).toBe(303);
    expect((await visitor.open("/account/profile")).heading).toBe("Profile");
    await visitor.open(path);
    expect((await visitor.submit(`${path}/confirmation?`)).heading).toBe("You are logged out");
    expect((await visitor.open("/account/profile")).heading).toBe(heading.logIn);

    await logInToAccount(visitor, user);
    const { verifier, challenge } = pkce();
    const request = requestOf(app, { challenge, scope: "openid" });
    await visitor.open(pathOf(request));
    const code = redirectQuery(await allow(visitor, request)).get("code") ?? "";
    const { body } = await redeem(app, { code, verifier }, {}, own);
    const hint = new URLSearchParams({ id_token_hint: body.id_token });
    expect(outcome(await own.publicApi("HEAD", `${path}?${hint}`))).toBe("200");
    expect((await visitor.open(`${path}?${hint}`)).heading).toBe("You are logged out");
    expect((await visitor.open("/account/profile")).heading).toBe(heading.logIn);
  });
});
