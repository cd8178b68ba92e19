import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type ApiAnswer, api, internalApi, outcome } from "../../support/api.ts";
import { codeIn, nextMessage, wrongCode } from "../../support/messages.ts";
import { newApp, pkce, postForm, redeem, redirectQuery, requestOf } from "../../support/oauth.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newMember, teamWithSecondFactor } from "../../support/teams.ts";
import { newEmail, newPhone, newUser, register, somePassword, type User } from "../../support/users.ts";

const own = await stackWith(
  {
    sndFactorPasswordChallenge: { defaults: { status: "enabled" } },
    set2FACodeGenerationDelaySecs: 300,
    setOAuthPageSessionSecs: 60,
  },
  { isClockStopped: true },
);

const allScopes = "read:self write:conversations write:conversations_code read:feature_configs";
type Request = Record<string, string>;
type Stack = Pick<typeof own, "publicApi">;

interface Opened extends ApiAnswer {
  /** Cookie of the browser's session. */
  readonly session: string;
  /** Token that the page's forms send back. */
  readonly token: string;
  readonly request: Request;
}

/** The page that a browser with this session sees. */
async function openPage(
  request: Request,
  { session, language = "en" }: { session?: string; language?: string } = {},
  { publicApi }: Stack = { publicApi: api },
): Promise<Opened> {
  const answer = await publicApi("GET", `/authorize?${new URLSearchParams(request)}`, {
    headers: { "accept-language": language, ...(session !== undefined && { cookie: session }) },
  });
  const token = /name="form_token" value="([^"]+)"/.exec(answer.body)?.[1] ?? "";
  return { ...answer, session: sessionOf(answer) ?? "", token, request };
}

const sessionOf = ({ setCookie }: Pick<ApiAnswer, "setCookie">) => setCookie?.split(";")[0];

/** Submits a form of a page. */
const send = (
  step: string,
  { session, token, request }: Pick<Opened, "session" | "token" | "request">,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
  { publicApi }: Stack = { publicApi: api },
) =>
  publicApi("POST", `/authorize/${step}?${new URLSearchParams(request)}`, {
    body: new URLSearchParams({ form_token: token, ...fields }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", cookie: session, ...headers },
  });

const ofUser = ({ email, password }: Pick<User, "email" | "password">) => ({ identity: email, password });

/** Submits a form and follows its redirect. */
async function proceed(page: Opened, step: string, fields: Record<string, string>, stack?: Stack) {
  const answer = await send(step, page, fields, {}, stack);
  expect(answer.status).toBe(303);
  expect(answer.headers.get("location")).toBe(`/authorize?${new URLSearchParams(page.request)}`);
  return openPage(page.request, { session: sessionOf(answer) ?? page.session }, stack);
}

/** A user who is asked for consent. */
async function logIn({ scope = "read:self" } = {}) {
  const [app, user] = await Promise.all([newApp(), newUser()]);
  const started = await openPage(requestOf(app, { scope }));
  return { app, user, page: await proceed(started, "login", ofUser(user)) };
}

const text = ({ body }: ApiAnswer): string =>
  body
    .replaceAll(/<style>.*?<\/style>|<[^>]*>/gs, " ")
    .replaceAll(/&#(\d+);/g, (_: string, code: string) => String.fromCharCode(Number(code)));

describe.concurrent("logging in on the authorization pages", () => {
  it("leads to consent, in a new session", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const started = await openPage(requestOf(app));
    expect(started.setCookie).toMatch(
      /^authorize-session=[^;]+; Path=\/authorize; Max-Age=600; HttpOnly; Secure; SameSite=Lax$/,
    );
    const page = await proceed(started, "login", ofUser(user));
    expect(text(page)).toContain("Let “Calendar” access your account?");
    expect(text(page)).toContain(user.email);
    expect(page.token).not.toBe(started.token);
    expect(text(await openPage(started.request, started))).not.toContain(user.email);
  });

  it("also accepts a handle or phone number", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const handle = `user-${randomUUID()}`;
    await api("PUT", "/self/handle", { token: user.token, json: { handle } });
    const phone = newPhone();
    await api("POST", "/activate/send", { json: { phone } });
    await register({ phone, phone_code: codeIn(await nextMessage(phone)), password: somePassword });
    const page = await openPage(requestOf(app));
    for (const identity of [handle, ` @${handle.toUpperCase()} `, phone]) {
      const next = await proceed(page, "login", { identity, password: somePassword });
      expect(text(next)).toContain("access your account?");
    }
  });

  it.each<Record<string, string>>([
    { password: "" },
    { password: "x".repeat(5000) },
    { identity: "", password: "x" },
  ])("treats an impossible login as a wrong one: %o", async (typed) => {
    const page = await openPage(requestOf(await newApp()));
    const next = await proceed(page, "login", {
      identity: newEmail(),
      password: "wrong password",
      ...typed,
    });
    expect(text(next)).toContain("don’t match");
  });

  it("reports each problem once, and keeps what was typed", async () => {
    const [app, user, suspended] = await Promise.all([newApp(), newUser(), newUser()]);
    await internalApi("PUT", `/i/users/${suspended.id}/status`, { json: { status: "suspended" } });
    const pending = { email: newEmail(), password: somePassword };
    await register(pending);
    const { password } = user;
    const mismatch = "This address or handle and password don’t match.";
    const started = await openPage(requestOf(app));
    for (const [credentials, problem] of [
      [{ ...ofUser(user), password: "wrong password" }, mismatch],
      [{ identity: newEmail(), password }, mismatch],
      [{ identity: "not an address @", password }, mismatch],
      [{ identity: "+49 hello", password }, mismatch],
      [{ identity: " ", password }, mismatch],
      [ofUser(suspended), "Your account is suspended."],
      [ofUser(pending), "Your account isn’t activated yet. Confirm your e-mail address first."],
    ] as const) {
      const page = await proceed(started, "login", credentials);
      expect(text(page)).toContain(problem);
      expect(page.body).toContain(`value="${credentials.identity}"`);
      expect(page.token).toBe(started.token);
      expect(text(await openPage(page.request, page))).not.toContain(problem);
    }
  });

  it.each([
    ["de-CH", "de", "Anmelden", "So geht es nicht weiter"],
    ["es-MX, en;q=0.5", "es", "Iniciar sesión", "No se puede continuar"],
    ["pt, fr;q=0.8, en;q=0.5", "fr", "Connexion", "Impossible de continuer"],
    ["en-GB", "en", "Log in", "You can’t continue here"],
    ["tlh", "en", "Log in", "You can’t continue here"],
    ["*", "en", "Log in", "You can’t continue here"],
  ])("shows browsers that prefer %s the pages in %s", async (preference, language, title, refusal) => {
    const page = await openPage(requestOf(await newApp()), { language: preference });
    const headers = { accept: "text/html", "accept-language": preference };
    const refused = await fetch(`${sharedStack().publicUrl}/authorize`, { headers });
    for (const [body, heading] of [
      [page.body, title],
      [await refused.text(), refusal],
    ]) {
      expect(body).toContain(`<html lang="${language}">`);
      expect(body).toContain(`<h1>${heading}</h1>`);
    }
  });

  it.each([
    ["de-AT fr", "de"],
    ["ja es", "es"],
    ["ja", "en"],
    ["", "en"],
    ["; en;q=0 *", "en"],
  ])("serves an app that asks for %j in %s, even after the next step", async (ui_locales, language) => {
    const request = { ...requestOf(await newApp()), ui_locales };
    const page = await openPage(request);
    expect(page.body).toContain(`<html lang="${language}">`);
    const next = await proceed(page, "login", { identity: "nobody", password: somePassword });
    expect(next.body).toContain(`<html lang="${language}">`);
  });
});

describe.concurrent("consent on the authorization pages", () => {
  it.each([
    [allScopes, 4],
    ["read:self read:self", 1],
    ["", 0],
  ])("for the scope %j names %i permissions", async (scope, count) => {
    const { page } = await logIn({ scope });
    expect(page.body.match(/<li>/g) ?? []).toHaveLength(count);
    expect(text(page).includes("The app asks for no permissions.")).toBe(count === 0);
  });

  it("is refused after all cookies were revoked, or the account was suspended", async () => {
    const ends = [
      ({ token, password }: User) => {
        const json = { old_password: password, new_password: "another password" };
        return api("PUT", "/self/password", { token, json });
      },
      ({ id }: User) => internalApi("PUT", `/i/users/${id}/status`, { json: { status: "suspended" } }),
    ];
    for (const end of ends) {
      const { page, user } = await logIn();
      await end(user);
      const next = await proceed(page, "decision", { decision: "allow" });
      expect(text(next)).toContain("Your session has ended.");
    }
  });

  it("is requested for the account that the user switches to", async () => {
    const { page, user } = await logIn();
    const other = await newUser();
    const started = await proceed(page, "logout", {});
    expect(text(started)).toContain("Log in");
    const next = await proceed(started, "login", ofUser(other));
    expect([text(next).includes(other.email), text(next).includes(user.email)]).toEqual([true, false]);
  });

  it("is requested once the user has logged in, even with an outdated login form", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const started = await openPage(requestOf(app));
    const { session } = await proceed(started, "login", ofUser(user));
    const wrong = { identity: user.email, password: "wrong password" };
    expect(text(await proceed({ ...started, session }, "login", wrong))).toContain("access your account?");
  });

  it("shows the private URL scheme of an app, and leads to it", async () => {
    const [app, user] = await Promise.all([
      newApp({ redirect_url: "com.example.calendar:/callback" }),
      newUser(),
    ]);
    const page = await proceed(await openPage(requestOf(app)), "login", ofUser(user));
    expect(text(page)).toContain(" com.example.calendar: ");
    const answer = await send("decision", page, { decision: "allow" });
    expect([answer.status, answer.headers.get("location")]).toEqual([
      302,
      expect.stringMatching(/^com\.example\.calendar:\/callback\?code=[0-9a-f]{64}&state=some\+state&iss=/),
    ]);
  });

  it("returns a different code for each of several concurrent clicks", async () => {
    const { page } = await logIn();
    const answers = await Promise.all([1, 2, 3].map(() => send("decision", page, { decision: "allow" })));
    expect(answers.map(({ status }) => status)).toEqual([302, 302, 302]);
    expect(new Set(answers.map(({ headers }) => headers.get("location"))).size).toBe(3);
  });
});

describe.concurrent("forms of the authorization pages", () => {
  it.each(["another session", "another request", "a forger"])(
    "do nothing with the token of %s",
    async (whose) => {
      const [app, user] = await Promise.all([newApp(), newUser()]);
      const page = await openPage(requestOf(app));
      const { request, session, token } = page;
      const tokens: Record<string, string> = {
        "another session": (await openPage(request)).token,
        "another request": (await openPage({ ...request, scope: "write:conversations" }, { session })).token,
        "a forger": token.replace(/^./, (first) => (first === "A" ? "B" : "A")),
      };
      const answer = await send("login", { ...page, token: tokens[whose] ?? "" }, ofUser(user));
      expect([answer.status, answer.setCookie]).toEqual([303, undefined]);
    },
  );

  it("start a new session when there is no valid one", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const page = await openPage(requestOf(app));
    for (const session of ["", "authorize-session=forged", `authorize-session=${user.token}`]) {
      const next = await proceed({ ...page, session }, "login", ofUser(user));
      expect(text(next)).toContain("Your session has ended.");
      expect(text(next)).not.toContain(user.email);
    }
  });

  it.each<Record<string, string>>([
    { origin: "https://evil.example.com" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
  ])("are refused with %o, and keep the session", async (headers) => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const page = await openPage(requestOf(app));
    const answer = await send("login", page, ofUser(user), headers);
    expect(outcome(answer)).toBe("400 bad-request");
    expect(answer.setCookie).toBeUndefined();
  });

  it("grant nothing before the login is complete, or after the session has expired", async () => {
    const [app, user] = await Promise.all([newApp({}, own), newMember({}, own)]);
    const started = await openPage(requestOf(app), {}, own);
    const decision = { decision: "allow" };
    expect(text(await proceed(started, "decision", decision, own))).toContain("Your session has ended.");

    const half = await proceed(started, "login", ofUser(user), own);
    expect(text(half)).toContain("Enter your code");
    expect(text(await proceed(half, "decision", decision, own))).toContain("Your session has ended.");
    expect(text(await proceed(started, "code", { code: "123456" }, own))).toContain("Log in");
    expect(text(await proceed(started, "login", ofUser(user), own))).toContain("Enter your code");
    for (const code of ["no code", "12345", "1"]) {
      expect(text(await proceed(half, "code", { code }, own))).toContain("This code is wrong");
    }
    expect(text(await proceed(half, "logout", {}, own))).toContain("Log in");
    expect(text(await proceed(started, "login", ofUser(user), own))).toContain("Too many attempts.");

    own.advance(62);
    expect(text(await proceed(started, "login", ofUser(user), own))).toContain("Your session has ended.");
  });

  it("need the second factor as well as the password, with a page that can be reloaded", async () => {
    const [app, { owner: user }] = await Promise.all([newApp(), teamWithSecondFactor()]);
    const { verifier, challenge } = pkce();
    const started = await openPage(requestOf(app, { challenge }));
    const half = await proceed(started, "login", ofUser(user));
    expect(text(await openPage(half.request, half))).toContain("Enter your code");
    const code = codeIn(await nextMessage(user.email, { purpose: "SecondFactorVerification" }));
    for (const attempt of [wrongCode(code), "no code"])
      expect(text(await proceed(half, "code", { code: attempt }))).toContain(
        "This code is wrong or has expired.",
      );
    const typed = ` ${code.slice(0, 3)} ${code.slice(3)} `;
    const page = await proceed(half, "code", { code: typed });
    expect(text(page)).toContain("access your account?");
    const answer = await send("decision", page, { decision: "allow" });
    const granted = redirectQuery(answer).get("code") ?? "";
    expect(outcome(await redeem(app, { code: granted, verifier }))).toBe("200");
  });
});

describe.concurrent("GET /authorize", () => {
  const openInBrowser = (request: Request) =>
    fetch(`${sharedStack().publicUrl}/authorize?${new URLSearchParams(request)}`, {
      redirect: "manual",
      headers: { accept: "text/html,*/*;q=0.8" },
    });

  it.each(["client_id", "redirect_uri"])("shows an error without %s", async (name) => {
    const { [name]: _, ...request } = requestOf(await newApp());
    expect((await openPage(request)).status).toBe(400);
  });

  it("tells the app by redirect what is wrong with its request", async () => {
    const app = await newApp();
    const answer = await openInBrowser({ ...requestOf(app), code_challenge_method: "plain" });
    expect(answer.status).toBe(302);
    expect(answer.headers.get("location")).toContain(`${app.redirect_url}?`);
    expect(Object.fromEntries(redirectQuery(answer))).toMatchObject({
      error: "invalid_request",
      error_description: expect.stringContaining("code_challenge_method"),
      state: "some state",
      iss: sharedStack().publicUrl,
    });
  });

  it("redirects nowhere for a broken request of an unknown app", async () => {
    const request = { ...requestOf(await newApp()), client_id: randomUUID(), scope: "nothing" };
    expect(outcome(await openPage(request))).toBe("404 not-found");
  });

  it("reports an unknown app or a wrong redirect URL on a page to browsers, and in JSON to others", async () => {
    const request = requestOf(await newApp());
    const unknown = { ...request, client_id: randomUUID() };
    const elsewhere = { ...request, redirect_uri: "https://evil.example.com/" };
    const pages = await Promise.all([openInBrowser(unknown), openInBrowser(elsewhere)]);
    expect(pages.map(({ status }) => status)).toEqual([404, 400]);
    for (const page of pages) {
      expect(page.headers.get("content-type")).toBe("text/html;charset=utf-8");
      expect(page.headers.get("content-security-policy")).toMatch("frame-ancestors 'none'");
      expect(page.headers.get("cache-control")).toBe("no-store");
    }
    expect(outcome(await openPage(unknown))).toBe("404 not-found");
    expect(outcome(await openPage(elsewhere))).toBe("400 redirect-url-miss-match");
  });

  it("never redirects to a URL that only resembles the registered one", async () => {
    const app = await newApp();
    const request = {
      ...requestOf(app),
      redirect_uri: app.redirect_url.replace("//", "//evil.example.com@"),
    };
    const page = await openInBrowser(request);
    expect([page.status, page.headers.get("location")]).toEqual([400, null]);
    expect(await page.text()).not.toContain("evil");
  });

  it("redirects immediately for a bearer token, and returns 401 for an invalid one", async () => {
    const [app, { token }] = await Promise.all([newApp(), newUser()]);
    const { verifier, challenge } = pkce();
    const path = `/authorize?${new URLSearchParams(requestOf(app, { challenge }))}`;
    const answer = await api("GET", path, { token });
    expect(answer.status).toBe(302);
    const { code = "", state } = Object.fromEntries(
      new URL(answer.headers.get("location") ?? "").searchParams,
    );
    expect(state).toBe("some state");
    expect(outcome(await redeem(app, { code, verifier }))).toBe("200");
    expect(outcome(await api("GET", path, { token: `${token}x` }))).toBe("401 unauthorized");
  });

  it("returns no page for HEAD, and refuses POST where apps sign nobody in", async () => {
    const request = requestOf(await newApp());
    const path = `/authorize?${new URLSearchParams(request)}`;
    expect(await api("HEAD", path)).toMatchObject({ status: 200, body: "" });
    expect(outcome(await postForm("/authorize", request))).toBe("403 forbidden");
  });

  it("creates no code for HEAD, which is no consent", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const path = `/authorize?${new URLSearchParams(requestOf(app))}`;
    const answer = await api("HEAD", path, { token: user.token });
    expect([answer.status, answer.headers.get("location")]).toEqual([200, null]);
    const consents = async () => {
      const query = new URLSearchParams({
        user: user.id,
        from: new Date(Date.now() - 3_600_000).toISOString(),
      });
      const { body } = await internalApi("GET", `/i/audit?${query}`);
      return body.records.filter(({ event }: { event: string }) => event === "app.authorized");
    };
    expect(await consents()).toEqual([]);
    expect((await api("GET", path, { token: user.token })).status).toBe(302);
    expect(await consents()).toMatchObject([
      {
        operation: "get-authorize",
        actor: { kind: "user", user: user.id },
        target: { client: app.client_id },
      },
    ]);
  });
});
