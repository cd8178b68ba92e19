import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { nextMessage, wrongCode } from "../../support/messages.ts";
import { newApp, newTokens, requestOf } from "../../support/oauth.ts";
import { type PageVisitor, pageVisitor } from "../../support/page-visitor.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newMember, newTeam } from "../../support/teams.ts";
import {
  activate,
  logIn,
  newEmail,
  newUser,
  register,
  somePassword,
  type User,
} from "../../support/users.ts";

type Stack = Parameters<typeof pageVisitor>[0];

/** A visitor who has opened the page and logged in. */
async function visitorOf(
  { email, password }: Pick<User, "email" | "password">,
  stack?: Stack,
): Promise<PageVisitor> {
  const visitor = pageVisitor(stack);
  await visitor.open("/account/profile");
  await visitor.submit("/account/login", { identity: email, password });
  return visitor;
}

const profileOf = async ({ token }: User) => (await api("GET", "/self", { token })).body;
const accountExists = async ({ token }: User) => (await api("GET", "/self", { token })).status === 200;
const renewal = ({ cookie, token }: User) => api("POST", "/access", { cookie, token }).then(outcome);
const wrongPassword = "The password is wrong.";

describe.concurrent("logging in on the account pages", () => {
  it("gives a cookie that opens these pages only, and nothing else", async () => {
    const user = await newUser();
    const visitor = pageVisitor();
    await visitor.open("/account/profile");
    const answer = await visitor.post("/account/login", { identity: user.email, password: user.password });
    expect(answer.status).toBe(303);
    expect(answer.location).toBe("/account/profile");
    const [ofPages = "", ofConsent = "", ...others] = answer.headers.getSetCookie();
    expect(ofPages).toMatch(
      /^account-session=[\w.-]+; Path=\/account; Max-Age=1[78]\d\d; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect([ofConsent, others]).toEqual([ofPages.replace("/account;", "/authorize;"), []]);
    const token = visitor.cookies.get("account-session") ?? "";
    expect(outcome(await api("GET", "/self", { token }))).toBe("401 unauthorized");
    expect((await api("POST", "/access", { cookie: token })).status).toBe(403);
    const { status, text, headers } = await visitor.open("/account/profile");
    expect(status).toBe(200);
    expect(text).toContain(user.email);
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("shows the same message for an unknown address and a wrong password", async () => {
    const user = await newUser();
    const notes = await Promise.all(
      [user.email, newEmail()].map(async (identity) => {
        const visitor = pageVisitor();
        await visitor.open("/account/profile");
        return (await visitor.submit("/account/login", { identity, password: "wrong password" })).note;
      }),
    );
    expect(new Set(notes)).toEqual(new Set(["This address or handle and password don’t match."]));
  });

  it.each([
    ["an empty password", { password: "" }],
    ["a password of one character", { password: "x" }],
    ["a password that nobody can have", { password: "x".repeat(5000) }],
    ["nothing", { identity: "", password: "" }],
    ["an address that nobody can have", { identity: `${"a".repeat(5000)}@example.com` }],
    ["a handle that nobody can have", { identity: "a".repeat(5000) }],
    ["an address in quotes", { identity: '"ada lovelace"@example.com' }],
  ])("treats %s as a wrong one", async (_, typed) => {
    const visitor = pageVisitor();
    await visitor.open("/account/profile");
    const fields = { identity: newEmail(), password: "wrong password", ...typed };
    const { status, note } = await visitor.submit("/account/login", fields);
    expect([status, note]).toEqual([200, "This address or handle and password don’t match."]);
  });

  it("accepts and shows an internationalised address as people write it", async () => {
    const email = newEmail().replace(/@.*/, "@пример.рф");
    await register({ email, password: somePassword });
    await activate({ email });
    const visitor = await visitorOf({ email, password: somePassword });
    expect((await visitor.open("/account/profile")).text).toContain(email);
  });

  it("leaves it to the service to judge addresses and passwords", async () => {
    const { text } = await pageVisitor().open("/account/profile");
    const inputs = [...text.matchAll(/<input[^>]* name="(?:identity|password)"[^>]*>/g)].map(
      ([input]) => input,
    );
    expect(inputs).toHaveLength(2);
    for (const input of inputs) expect(input).not.toMatch(/type="email"|minlength|maxlength/);
  });

  it("leads to the login from every page", async () => {
    for (const page of ["security", "sessions", "apps", "deletion"]) {
      const { status, location } = await pageVisitor().open(`/account/${page}`);
      expect([status, location]).toEqual([303, "/account/profile"]);
    }
  });

  it("accepts the code of the second factor where one is required", async () => {
    const own = await stackWith({ sndFactorPasswordChallenge: { defaults: { status: "enabled" } } });
    const user = await newMember({}, own);
    const visitor = await visitorOf(user, own);
    expect((await visitor.open("/account/profile")).heading).toBe("Enter your code");
    expect((await visitor.open("/account/sessions")).location).toBe("/account/profile");
    expect((await visitor.post("/account/name", { name: "Eve" })).location).toBe("/account/profile");
    await visitor.open("/account/profile");
    const { headers } = await nextMessage(user.email, { purpose: "SecondFactorVerification" });
    const code = headers["X-Svc-Code"] ?? "";
    const refused = await visitor.submit("/account/code", { code: wrongCode(code) });
    expect([refused.heading, refused.note]).toEqual([
      "Enter your code",
      "This code is wrong or has expired.",
    ]);
    expect((await visitor.submit("/account/code", { code })).heading).toBe("Profile");
    expect((await visitor.open("/account/security")).text).toContain(`which is sent to ${user.email}`);
  });

  it("refuses suspended users, and ends the sessions of users who are suspended later", async () => {
    const user = await newUser();
    const visitor = await visitorOf(user);
    await internalApi("PUT", `/i/users/${user.id}/status`, { json: { status: "suspended" } });
    expect((await visitor.submit("/account/name", { name: "Eve" })).heading).toBe("Log in");
    const later = pageVisitor();
    await later.open("/account/profile");
    const { note } = await later.submit("/account/login", { identity: user.email, password: user.password });
    expect(note).toBe("Your account is suspended.");
  });

  it("lasts as long as the setting says, however often the pages are used", async () => {
    const own = await stackWith({ setAccountPageSessionSecs: 60 }, { isClockStopped: true });
    const user = await newUser({}, own);
    const visitor = await visitorOf(user, own);
    own.advance(45);
    expect((await visitor.open("/account/profile")).heading).toBe("Profile");
    own.advance(20);
    expect((await visitor.open("/account/profile")).heading).toBe("Log in");
  });
});

describe.concurrent("the forms of the account pages", () => {
  it("change name, handle and language", async () => {
    const user = await newUser();
    const visitor = await visitorOf(user);
    const handle = `user-${randomUUID()}`;
    expect((await visitor.submit("/account/name", { name: ' <b>"Ada"</b> ' })).note).toBe(
      "Your name is changed.",
    );
    expect((await visitor.submit("/account/handle", { handle: `@${handle}` })).note).toBe(
      "Your handle is changed.",
    );
    const { note, text } = await visitor.submit("/account/language", { locale: "fr" });
    expect(note).toBe("The language is changed.");
    expect(text).toContain("&#60;b&#62;");
    expect(await profileOf(user)).toMatchObject({ name: '<b>"Ada"</b>', handle, locale: "fr" });
    expect((await visitor.open("/account/profile")).note).toBeUndefined();
  });

  it("say what is wrong with a name or handle", async () => {
    const [user, other] = await Promise.all([newUser(), newUser()]);
    const handle = `user-${randomUUID()}`;
    await api("PUT", "/self/handle", { token: other.token, json: { handle } });
    const visitor = await visitorOf(user);
    for (const name of ["  ", "x".repeat(129)])
      expect((await visitor.submit("/account/name", { name })).note).toBe("A name has 1 to 128 characters.");
    const { note } = await visitor.submit("/account/name", { name: "🚲".repeat(128) });
    expect(note).not.toBe("A name has 1 to 128 characters.");
    expect((await visitor.submit("/account/handle", { handle: "Ä" })).note).toBe("This can’t be a handle.");
    expect((await visitor.submit("/account/handle", { handle })).note).toBe("Somebody else has this handle.");
  });

  it("change nothing that a directory manages", async () => {
    const team = await newTeam();
    const user = await team.add("member", { provisioned: { managedByScim: true } });
    const visitor = await visitorOf(user);
    const page = await visitor.open("/account/profile");
    expect(page.heading).toBe("Profile");
    expect(page.text).not.toContain('action="/account/name"');
    expect(page.text).toContain("Your organisation manages this.");
    for (const [path, fields] of [
      ["/account/name", { name: "Eve" }],
      ["/account/handle", { handle: `user-${randomUUID()}` }],
      ["/account/language", { locale: "es" }],
    ] as const)
      expect((await visitor.submit(path, fields)).note).toMatch("Your organisation manages this.");
  });

  it("are refused from other sites, and do nothing with a forged or foreign token", async () => {
    const [user, other] = await Promise.all([newUser({ name: "Ada" }), newUser()]);
    const [visitor, stranger] = await Promise.all([visitorOf(user), visitorOf(other)]);
    const { publicUrl } = sharedStack();
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example.com" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site", origin: publicUrl },
    ];
    for (const headers of foreign) {
      const { status, heading } = await visitor.post("/account/name", { name: "Eve" }, { headers });
      expect([status, heading]).toEqual([400, "This didn’t work"]);
    }
    for (const token of ["forged", stranger.formToken()])
      expect((await visitor.submit("/account/name", { name: "Eve" }, { token })).note).toBeUndefined();
    const anonymous = await pageVisitor().post(
      "/account/name",
      { name: "Eve" },
      { token: visitor.formToken() },
    );
    expect([anonymous.status, anonymous.location]).toEqual([303, "/account/profile"]);
    expect(await profileOf(user)).toMatchObject({ name: "Ada" });
    const headers = { origin: publicUrl, "sec-fetch-site": "same-origin" };
    expect((await visitor.submit("/account/name", { name: "Grace" }, { headers })).note).toBe(
      "Your name is changed.",
    );
  });

  it("refuse a cookie that was changed, or that belongs to the pages for apps", async () => {
    const user = await newUser();
    const visitor = await visitorOf(user);
    const cookie = visitor.cookies.get("account-session") ?? "";
    const [head = "", claims = "", signature = ""] = cookie.split(".");
    const content = JSON.parse(Buffer.from(claims, "base64url").toString());
    const forged = Buffer.from(JSON.stringify({ ...content, exp: content.exp + 1 })).toString("base64url");
    visitor.cookies.set("account-session", `${head}.${forged}.${signature}`);
    expect((await visitor.open("/account/profile")).heading).toBe("Log in");
    const app = await newApp();
    const request = new URLSearchParams({
      ...{
        client_id: app.client_id,
        redirect_uri: app.redirect_url,
        response_type: "code",
        scope: "read:self",
      },
      ...{ state: "state", code_challenge: "x".repeat(43), code_challenge_method: "S256" },
    });
    const other = pageVisitor();
    other.cookies.set("authorize-session", cookie);
    expect((await other.open(`/authorize?${request}`)).heading).toBe("Log in");
  });

  it("change the password, which ends every session", async () => {
    const user = await newUser();
    const visitor = await visitorOf(user);
    const change = (password: string, new_password: string) =>
      visitor.submit("/account/password", { password, new_password });
    expect((await change("wrong password", "another horse battery")).note).toBe(wrongPassword);
    expect((await change(user.password, "short")).note).toMatch("8 to 1,024 characters");
    expect((await change(user.password, user.password)).note).toMatch("your current password");
    const { heading, note } = await change(user.password, "another horse battery");
    expect([heading, note]).toEqual(["Log in", "Your password is changed. Please log in with the new one."]);
    expect(await renewal(user)).toMatch("403");
    expect(outcome(await logIn({ ...user, password: "another horse battery" }))).toBe("200");
  });
});

describe.concurrent("the page of sessions", () => {
  it("ends one session with the password, and leaves the others", async () => {
    const user = await newUser();
    const phone = await logIn(user, { label: "Phone" });
    const visitor = await visitorOf(user);
    const { text } = await visitor.open("/account/sessions");
    expect(text).toContain("These pages (this browser)");
    const id = /value="(\d+)"[^>]*><span>Phone/.exec(text)?.[1] ?? "";
    const end = (fields: Record<string, string>) => visitor.submit("/account/sessions", fields);
    expect((await end({ which: "one", session: id, password: "wrong password" })).note).toBe(wrongPassword);
    expect((await end({ which: "one", password: user.password })).note).toBe("Please choose one first.");
    expect((await end({ which: "one", session: id, password: user.password })).note).toBe(
      "The session is ended.",
    );
    expect((await api("POST", "/access", { cookie: phone.cookie })).status).toBe(403);
    expect(await renewal(user)).toBe("200");
    expect((await visitor.open("/account/sessions")).text).not.toContain("Phone");
  });

  it("logs out everywhere, even these pages in other browsers", async () => {
    const user = await newUser();
    const [visitor, elsewhere] = await Promise.all([visitorOf(user), visitorOf(user)]);
    const fields = { which: "all", password: user.password };
    expect((await visitor.submit("/account/sessions", fields)).note).toBe("You are logged out everywhere.");
    expect(await renewal(user)).toMatch("403");
    expect((await elsewhere.submit("/account/name", { name: "Eve" })).heading).toBe("Log in");
  });

  it("logs out everywhere, even unfinished logins and pages on which an app asks for access", async () => {
    const own = await stackWith({ sndFactorPasswordChallenge: { defaults: { status: "enabled" } } });
    const user = await newUser();
    const request = `/authorize?${new URLSearchParams(requestOf(await newApp()))}`;
    const [visitor, consenting] = [await visitorOf(user), pageVisitor()];
    await consenting.open(request);
    const consent = await consenting.submit(request.replace("?", "/login?"), {
      identity: user.email,
      password: user.password,
    });
    expect(consent.heading).toMatch("access your account");
    await visitor.submit("/account/sessions", { which: "all", password: user.password });
    expect((await consenting.open(request)).heading).toBe("Log in");

    const careful = await newMember({}, own);
    const halfway = await visitorOf(careful, own);
    const { headers } = await nextMessage(careful.email, { purpose: "SecondFactorVerification" });
    await own.publicApi("POST", "/cookies/remove", {
      token: careful.token,
      json: { password: careful.password },
    });
    await halfway.open("/account/profile");
    const code = headers["X-Svc-Code"] ?? "";
    expect((await halfway.submit("/account/code", { code })).heading).not.toBe("Profile");
  });

  it("never ends a session of somebody else", async () => {
    const [user, other] = await Promise.all([newUser(), newUser()]);
    const { body } = await api("GET", "/cookies", { token: other.token });
    const visitor = await visitorOf(user);
    const session = String(body.cookies[0].id);
    await visitor.submit("/account/sessions", { which: "one", session, password: user.password });
    expect(await renewal(other)).toBe("200");
  });

  it("has a log-out, after which a copy of the cookie is useless", async () => {
    const user = await newUser();
    const visitor = await visitorOf(user);
    const copy = pageVisitor();
    copy.cookies.set("account-session", visitor.cookies.get("account-session") ?? "");
    expect((await copy.open("/account/profile")).heading).toBe("Profile");
    expect((await visitor.submit("/account/logout")).note).toBe("You are logged out.");
    expect((await copy.open("/account/profile")).heading).toBe("Log in");
    expect(await renewal(user)).toBe("200");
  });
});

describe.concurrent("the page of apps", () => {
  it("revokes an app’s access with the password", async () => {
    const [user, app] = await Promise.all([newUser(), newApp({ name: "<i>Calendar</i>" })]);
    await newTokens(app, user);
    const visitor = await visitorOf(user);
    expect((await visitor.open("/account/apps")).text).toContain("&#60;i&#62;Calendar");
    const revoke = (fields: Record<string, string>) => visitor.submit("/account/apps", fields);
    expect((await revoke({ app: app.client_id, password: "wrong password" })).note).toBe(wrongPassword);
    expect((await revoke({ password: user.password })).note).toBe("Please choose one first.");
    const { note, text } = await revoke({ app: app.client_id, password: user.password });
    expect(note).toBe("The app no longer has access.");
    expect(text).toContain("No app has access to your account.");
    expect((await api("GET", "/v6/oauth/applications", { token: user.token })).body).toEqual([]);
  });
});

describe.concurrent("the page of deletion", () => {
  it("deletes the account with the password, and only once if the form is sent repeatedly", async () => {
    const user = await newUser();
    const visitor = await visitorOf(user);
    const wrong = await visitor.submit("/account/deletion", { password: "wrong password" });
    expect([wrong.heading, wrong.note]).toEqual(["Delete account", wrongPassword]);
    expect(await accountExists(user)).toBe(true);
    const password = { password: user.password };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => visitor.post("/account/deletion", password)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
    expect(await accountExists(user)).toBe(false);
    expect((await visitor.open("/account/profile")).heading).toBe("Log in");
  });

  it("refuses the owner of a team", async () => {
    const { owner } = await newTeam();
    const visitor = await visitorOf(owner);
    const { note } = await visitor.submit("/account/deletion", { password: owner.password });
    expect(note).toMatch("You own a team.");
    expect(await accountExists(owner)).toBe(true);
  });
});

describe("the audit trail", () => {
  it("names the user of each change that a form makes", async () => {
    const own = await stackWith();
    const user = await newUser({}, own);
    const visitor = await visitorOf(user, own);
    await visitor.submit("/account/name", { name: "Grace" });
    await visitor.submit("/account/logout");
    const query = new URLSearchParams({
      user: user.id,
      from: new Date(Date.now() - 3_600_000).toISOString(),
    });
    const { body } = await own.internalApi("GET", `/i/audit?${query}`);
    const seen = body.records.map(({ operation, event, actor }: Record<string, unknown>) => [
      operation,
      event,
      actor,
    ]);
    const actor = expect.objectContaining({ kind: "user", user: user.id });
    expect(seen).toEqual(
      expect.arrayContaining([
        ["post-account-login", "session.started", actor],
        ["post-account-name", "account.profile-changed", actor],
        ["post-account-logout", "session.ended", actor],
      ]),
    );
  });
});
