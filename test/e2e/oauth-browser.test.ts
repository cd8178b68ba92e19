import { randomUUID } from "node:crypto";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, inject, it } from "vitest";
import { api, internalApi, outcome } from "../support/api.ts";
import { barriersOn, browserTest, hasBrowser, type Site } from "../support/browser.ts";
import { nextMessage, wrongCode } from "../support/messages.ts";
import { type App, newApp, pkce, redeem, requestOf } from "../support/oauth.ts";
import { type OwnStack, ownStack } from "../support/own-stack.ts";
import { newEmail, newPhone, newUser, register, somePassword, type User } from "../support/users.ts";

const own = await ownStack({ sndFactorPasswordChallenge: true, setOAuthPageSessionSecs: 60 });

const allScopes = "read:self write:conversations write:conversations_code read:feature_configs";

type Credentials = { identity: string; password: string };
const ofUser = ({ email, password }: Pick<User, "email" | "password">): Credentials => ({
  identity: email,
  password,
});

interface Visit {
  readonly page: Page;
  readonly app: App;
  readonly user: User;
  /** The app's, where the redirect URL is. */
  readonly site: Site;
  readonly verifier: string;
  /** Of the authorization request. */
  readonly url: string;
}

interface VisitOptions {
  readonly stack?: OwnStack;
  /** The app's. */
  readonly name?: string;
  readonly scope?: string;
  /** Of the user's registration. */
  readonly fields?: Record<string, unknown>;
  readonly browser?: BrowserContextOptions;
}

/** `visit`: a user whom an app has sent to the authorization pages. */
const pageTest = browserTest.extend<{ visit: (options?: VisitOptions) => Promise<Visit> }>({
  visit: ({ newSite, newTab }, use) =>
    use(async ({ stack, name, scope, fields = {}, browser } = {}) => {
      const site = await newSite();
      const redirect_url = `${site.origin}/callback?from=parley`;
      const [app, user] = await Promise.all([newApp({ redirect_url, name }, stack), newUser(fields, stack)]);
      const { verifier, challenge } = pkce();
      const url = authorizeUrl(requestOf(app, { challenge, scope }), stack?.publicUrl);
      const page = await newTab(browser);
      await page.goto(url);
      return { page, app, user, site, verifier, url };
    }),
});

const authorizeUrl = (request: Record<string, string>, publicUrl: string = inject("publicUrl")) =>
  `${publicUrl}/authorize?${new URLSearchParams(request)}`;

async function submitLogIn(page: Page, { identity, password }: Credentials): Promise<void> {
  await page.getByLabel("E-mail address or handle").fill(identity);
  await page.getByLabel("Password").fill(password);
  await click(page, "Log in");
}

const click = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const heading = (page: Page) => page.getByRole("heading", { level: 1 }).textContent();
const alert = (page: Page) => page.getByRole("alert").textContent();
const consentHeading = "Let “Calendar” access your account?";
const formToken = (page: Page) => page.locator("input[name=form_token]").first().getAttribute("value");

/** Query of the only visit to the app. */
function arrival({ visits }: Site): Record<string, string> {
  expect(visits).toHaveLength(1);
  const { pathname, searchParams } = new URL(visits[0] ?? "", "http://app");
  expect(pathname).toBe("/callback");
  return Object.fromEntries(searchParams);
}

async function consented(current: Visit): Promise<Visit> {
  await submitLogIn(current.page, ofUser(current.user));
  expect(await heading(current.page)).toBe(consentHeading);
  return current;
}

describe.skipIf(!hasBrowser()).concurrent("on the authorization pages", () => {
  pageTest("a user logs in, agrees, and the app gets a code that it can redeem", async ({ visit }) => {
    const { page, app, site, user, verifier } = await consented(await visit());
    await click(page, "Allow");

    expect(await heading(page)).toBe("Welcome back");
    const { code = "", ...others } = arrival(site);
    expect(others).toEqual({ from: "parley", state: "some state", iss: inject("publicUrl") });
    const { status, body } = await redeem(app, { code, verifier });
    expect(status).toBe(200);
    expect((await api("GET", "/self", { token: body.access_token })).body.id).toBe(user.id);
  });

  pageTest("a user may log in by handle or phone number, with blanks around it", async ({ visit }) => {
    const { page, user } = await visit();
    const handle = `user-${randomUUID()}`;
    await api("PUT", "/self/handle", { token: user.token, json: { handle } });
    for (const identity of [` @${handle.toUpperCase()} `, handle]) {
      await submitLogIn(page, { ...ofUser(user), identity });
      expect(await heading(page)).toBe(consentHeading);
      await click(page, "Use another account");
    }
    const phone = newPhone();
    await api("POST", "/activate/send", { json: { phone } });
    const { text } = await nextMessage(phone);
    await register({ phone, phone_code: /\d{6}/.exec(text)?.[0], password: somePassword });
    await submitLogIn(page, { identity: phone, password: somePassword });
    expect(await heading(page)).toBe(consentHeading);
  });

  pageTest("the app learns of a refusal, and gets no code", async ({ visit }) => {
    const { page, site } = await consented(await visit());
    await click(page, "Don’t allow");
    await page.waitForURL(`${site.origin}/**`);
    expect(arrival(site)).toEqual({
      from: "parley",
      error: "access_denied",
      state: "some state",
      iss: inject("publicUrl"),
    });
  });

  pageTest("the app may send the browser on to another origin", async ({ newTab, newSite }) => {
    const end = await newSite(undefined, { host: "localhost" });
    const callback = await newSite(() => ({ location: `${end.origin}/start` }));
    const [app, user] = await Promise.all([
      newApp({ redirect_url: `${callback.origin}/callback` }),
      newUser(),
    ]);
    const page = await newTab();
    await page.goto(authorizeUrl(requestOf(app)));
    await submitLogIn(page, ofUser(user));
    await click(page, "Allow");
    await page.waitForURL(`${end.origin}/start`);
  });

  pageTest("an app on the device is called by its private scheme", async ({ newTab }) => {
    const [app, user] = await Promise.all([
      newApp({ redirect_url: "com.example.calendar:/callback" }),
      newUser(),
    ]);
    const page = await newTab();
    await page.goto(authorizeUrl(requestOf(app)));
    await submitLogIn(page, ofUser(user));
    expect(await page.getByText("com.example.calendar:").count()).toBe(1);
    const answer = page.waitForResponse((response) => response.status() === 302);
    await click(page, "Allow");
    const location = await (await answer).headerValue("location");
    expect(location).toMatch(/^com\.example\.calendar:\/callback\?code=[0-9a-f]{64}&state=some\+state&iss=/);
  });

  pageTest("what goes wrong at the login is told, and the password can be typed again", async ({ visit }) => {
    const { page, user } = await visit();
    const suspended = await newUser();
    await internalApi("PUT", `/i/users/${suspended.id}/status`, { json: { status: "suspended" } });
    const email = newEmail();
    await register({ email, password: somePassword });
    const mismatch = "This address or handle and password don’t match.";
    const problems: [Credentials, string][] = [
      [{ ...ofUser(user), password: "wrong password" }, mismatch],
      [{ ...ofUser(user), identity: newEmail() }, mismatch],
      [{ ...ofUser(user), identity: "no such handle @" }, mismatch],
      [{ ...ofUser(user), identity: "+49 hello" }, mismatch],
      [ofUser(suspended), "Your account is suspended."],
      [
        { identity: email, password: somePassword },
        "Your account isn’t activated yet. Confirm your e-mail address first.",
      ],
    ];
    for (const [credentials, problem] of problems) {
      await submitLogIn(page, credentials);
      expect(await alert(page)).toBe(problem);
      expect(await page.getByLabel("E-mail address or handle").inputValue()).toBe(credentials.identity);
      expect(await page.getByLabel("Password").inputValue()).toBe("");
    }
    await submitLogIn(page, ofUser(user));
    expect(await heading(page)).toBe(consentHeading);
  });

  pageTest("markup in names is text", async ({ visit }) => {
    const name = `<b>Bold</b> "'&amp;</title><script>1</script>`;
    const { page, user } = await visit({ name, fields: { name: "<i>Ada</i>" } });
    expect(await page.getByText(`whether “${name}” may`).count()).toBe(1);
    await submitLogIn(page, { ...ofUser(user), identity: `"><b>${user.email}`, password: "wrong password" });
    expect(await page.getByLabel("E-mail address or handle").inputValue()).toBe(`"><b>${user.email}`);
    await submitLogIn(page, ofUser(user));
    expect(await heading(page)).toBe(`Let “${name}” access your account?`);
    expect(await page.title()).toBe(`Let “${name}” access your account? – Parley`);
    expect(await page.getByText("<i>Ada</i>").count()).toBe(1);
  });

  pageTest.for([
    [allScopes, 4],
    ["read:self read:self", 1],
    ["read:self admin:everything", 0],
    ["", 0],
  ] as const)("the scope %j is %i permissions", async ([scope, count], { visit }) => {
    const { page } = await consented(await visit({ scope }));
    expect(await page.getByRole("listitem").count()).toBe(count);
    const asksNothing = page.getByText("The app asks for no permissions. It only learns that you agreed.");
    expect(await asksNothing.count()).toBe(count === 0 ? 1 : 0);
  });

  pageTest("another account can be used", async ({ visit }) => {
    const current = await consented(await visit());
    const { page, user } = current;
    const other = await newUser({ name: "Grace" });
    expect(await page.getByText(user.email).count()).toBe(1);
    await click(page, "Use another account");
    expect(await heading(page)).toBe("Log in");
    await submitLogIn(page, ofUser(other));
    expect(await page.getByText(other.email).count()).toBe(1);
    expect(await page.getByText(user.email).count()).toBe(0);
  });

  pageTest("reloading and going back send no form again", async ({ visit }) => {
    const { page, user, site, url } = await visit();
    await submitLogIn(page, { ...ofUser(user), password: "wrong password" });
    expect(await alert(page)).toBe("This address or handle and password don’t match.");
    await page.reload();
    expect(page.url()).toBe(url);
    expect(await page.getByRole("alert").count()).toBe(0);
    await consented({ page, user, site, url } as Visit);
    expect(page.url()).toBe(url);
    await page.reload();
    expect(await heading(page)).toBe(consentHeading);
    await click(page, "Allow");
    await page.waitForURL(`${site.origin}/**`);
    await page.goBack();
    expect(await heading(page)).toBe(consentHeading);
    await click(page, "Don’t allow");
    await page.waitForURL(`${site.origin}/**`);
    expect(site.visits).toHaveLength(2);
  });

  pageTest("a form of another tab leads to where the browser stands", async ({ visit }) => {
    const { page, user, url } = await visit();
    const second = await page.context().newPage();
    await second.goto(url);
    await consented({ page, user, url } as Visit);
    await submitLogIn(second, { ...ofUser(user), password: "wrong password" });
    expect(await heading(second)).toBe(consentHeading);
    await page.reload();
    expect(await heading(page)).toBe(consentHeading);
  });

  pageTest("who has lost the session logs in again", async ({ visit }) => {
    const { page, site } = await consented(await visit());
    await page.context().clearCookies();
    await click(page, "Allow");
    expect(await alert(page)).toMatch("Your session has ended.");
    expect(site.visits).toEqual([]);
  });

  pageTest(
    "a session ends when all cookies are revoked, and when the account is suspended",
    async ({ visit }) => {
      for (const end of [
        ({ token, password }: User) =>
          api("PUT", "/self/password", {
            token,
            json: { old_password: password, new_password: "another password" },
          }),
        ({ id }: User) => internalApi("PUT", `/i/users/${id}/status`, { json: { status: "suspended" } }),
      ]) {
        const { page, user, site } = await consented(await visit());
        await end(user);
        await click(page, "Allow");
        expect(await alert(page)).toMatch("Your session has ended.");
        expect(site.visits).toEqual([]);
      }
    },
  );

  pageTest("can be used with the keyboard alone, and the focus is visible", async ({ visit }) => {
    const { page, user, site } = await visit();
    const outline = () =>
      page.evaluate("getComputedStyle(document.activeElement).outlineStyle + document.activeElement.name");
    expect(await outline()).toBe("solididentity");
    await page.keyboard.type(user.email);
    await page.keyboard.press("Tab");
    expect(await outline()).toBe("solidpassword");
    await page.keyboard.type("wrong password");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    expect(await outline()).toBe("solidpassword");
    expect(await page.evaluate("document.activeElement.getAttribute('aria-describedby')")).toBe("problem");
    await page.keyboard.type(user.password);
    await page.keyboard.press("Enter");
    await page.getByText("Use another account").waitFor();
    await page.keyboard.press("Tab");
    expect(await outline()).toBe("soliddecision");
    await page.keyboard.press("Space");
    await page.waitForURL(`${site.origin}/**`);
    expect(arrival(site)).toHaveProperty("code");
  });

  pageTest.for(["light", "dark"] as const)(
    "nothing is in the way of anybody, in %s colours",
    async (colorScheme, { visit }) => {
      const long = { name: "Wolkenstein-Rodenegg-Schillingsfürst ".repeat(3).trim() };
      const name = `Donaudampfschifffahrt${"elektrizitäten".repeat(12)}`;
      const browser = { colorScheme, viewport: { width: 320, height: 600 } };
      const { page, user } = await visit({ name, fields: long, scope: allScopes, browser });
      expect(await barriersOn(page)).toEqual([]);
      await submitLogIn(page, { ...ofUser(user), password: "wrong password" });
      expect(await barriersOn(page)).toEqual([]);
      await submitLogIn(page, ofUser(user));
      expect(await barriersOn(page)).toEqual([]);
      await page.goto(`${inject("publicUrl")}/authorize`);
      expect(await barriersOn(page)).toEqual([]);
    },
  );

  pageTest.for([
    ["de-CH", "de", "Anmelden", "So geht es nicht weiter"],
    ["es-MX", "es", "Iniciar sesión", "No se puede continuar"],
    ["fr", "fr", "Connexion", "Impossible de continuer"],
    ["en-GB", "en", "Log in", "You can’t go on here"],
    ["pt", "en", "Log in", "You can’t go on here"],
  ] as const)("browsers that prefer %s get %s", async ([locale, language, title, refusal], { visit }) => {
    const { page } = await visit({ browser: { locale } });
    expect(await heading(page)).toBe(title);
    expect(await page.locator("html").getAttribute("lang")).toBe(language);
    await page.goto(`${inject("publicUrl")}/authorize`);
    expect(await heading(page)).toBe(refusal);
    expect(await page.locator("html").getAttribute("lang")).toBe(language);
  });

  pageTest(
    "the session is a cookie for these pages only, out of reach of scripts and other sites",
    async ({ visit }) => {
      const { page } = await consented(await visit());
      const [cookie, ...others] = await page.context().cookies(`${inject("publicUrl")}/authorize`);
      expect(others).toEqual([]);
      expect(cookie).toMatchObject({ path: "/authorize", httpOnly: true, secure: true, sameSite: "Lax" });
      expect(cookie?.expires).toBeLessThan(Date.now() / 1000 + 601);
      expect(await page.context().cookies(inject("publicUrl"))).toEqual([]);
    },
  );

  pageTest("no other page can show them in a frame", async ({ newTab, newSite }) => {
    const app = await newApp();
    const body = `<iframe src="${authorizeUrl(requestOf(app)).replaceAll("&", "&amp;")}"></iframe>`;
    const { origin } = await newSite(() => ({ body }));
    const page = await newTab();
    const refusals: string[] = [];
    page.context().removeAllListeners("console");
    page.on("console", (message) => refusals.push(message.text()));
    await page.goto(origin);
    expect(page.frames()[1]?.url()).toMatch("chrome-error:");
    expect(refusals.join()).toMatch(/frame-ancestors|X-Frame-Options/);
  });

  pageTest.for(["localhost", "127.0.0.1"])(
    "a form on another origin, at %s, does nothing",
    async (host, { newSite, visit }) => {
      const { page, site, url } = await consented(await visit());
      const action = url.replace("/authorize?", "/authorize/decision?").replaceAll("&", "&amp;");
      const token = await formToken(page);
      const evil = await newSite(
        () => ({
          body: `<form method="post" action="${action}">
          <input name="form_token" value="${token}"><button name="decision" value="allow">Win</button></form>`,
        }),
        { host },
      );
      await page.goto(evil.origin);
      await click(page, "Win");
      expect(await heading(page)).toBe("You can’t go on here");
      await page.goto(url);
      expect(await heading(page)).toBe(consentHeading);
      expect(site.visits).toEqual([]);
    },
  );
});

describe.skipIf(!hasBrowser()).concurrent("with a second factor, on the authorization pages", () => {
  pageTest("a user gives the code from the mail, too", async ({ visit }) => {
    const { page, app, user, site, verifier } = await visit({ stack: own });
    await submitLogIn(page, ofUser(user));
    expect(await heading(page)).toBe("Enter your code");
    expect(await barriersOn(page)).toEqual([]);
    const { headers } = await nextMessage(user.email, { count: 2 });
    const code = headers["X-Svc-Code"] ?? "";
    for (const wrong of [wrongCode(code), "no code"]) {
      await page.getByLabel("Verification code").fill(wrong);
      await click(page, "Continue");
      expect(await alert(page)).toBe("This code is wrong or has expired.");
    }
    expect(await barriersOn(page)).toEqual([]);
    await page.getByLabel("Verification code").fill(` ${code.slice(0, 3)} ${code.slice(3)} `);
    await click(page, "Continue");
    expect(await heading(page)).toBe(consentHeading);
    await click(page, "Allow");
    await page.waitForURL(`${site.origin}/**`);
    const { code: granted = "" } = arrival(site);
    expect(outcome(await redeem(app, { code: granted, verifier }, {}, own))).toBe("200");
  });

  pageTest("the password alone opens nothing", async ({ visit }) => {
    const { page, user, url, site } = await visit({ stack: own });
    await submitLogIn(page, ofUser(user));
    await page.goto(url);
    expect(await heading(page)).toBe("Enter your code");
    await click(page, "Start again");
    expect(await heading(page)).toBe("Log in");
    expect(site.visits).toEqual([]);
  });
});

/** What a browser keeps of the pages: the cookie, and what the form sends back. */
async function openPage(
  request: Record<string, string>,
  cookie?: string,
  { publicApi } = { publicApi: api },
) {
  const answer = await publicApi("GET", `/authorize?${new URLSearchParams(request)}`, {
    headers: { ...(cookie !== undefined && { cookie }) },
  });
  return {
    ...answer,
    session: answer.setCookie?.split(";")[0] ?? "",
    token: /name="form_token" value="([^"]+)"/.exec(answer.body)?.[1] ?? "",
  };
}

const send = (
  step: string,
  request: Record<string, string>,
  fields: Record<string, string>,
  headers: Record<string, string>,
  { publicApi } = { publicApi: api },
) =>
  publicApi("POST", `/authorize/${step}?${new URLSearchParams(request)}`, {
    body: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });

describe.concurrent("forms of the authorization pages", () => {
  const logInWith = async (session: string, token: string, request: Record<string, string>, user: User) => {
    const fields = { form_token: token, ...ofUser(user) };
    return send("login", request, fields, { cookie: session });
  };

  it("lead to a session of its own with each login", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const request = requestOf(app);
    const { session, token } = await openPage(request);
    const answer = await logInWith(session, token, request, user);
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe(`/authorize?${new URLSearchParams(request)}`);
    const before = await openPage(request, session);
    const after = await openPage(request, answer.setCookie?.split(";")[0]);
    expect(before.body).not.toContain(user.email);
    expect(after.body).toContain(user.email);
    expect(after.token).not.toBe(token);
  });

  it.each(["another session", "another request", "nobody"])(
    "with the token of %s do nothing",
    async (whose) => {
      const [app, user] = await Promise.all([newApp(), newUser()]);
      const request = requestOf(app);
      const { session, token } = await openPage(request);
      const tokens: Record<string, string> = {
        "another session": (await openPage(request)).token,
        "another request": (await openPage({ ...request, scope: "write:conversations" }, session)).token,
        nobody: token.replace(/^./, (first) => (first === "A" ? "B" : "A")),
      };
      const answer = await logInWith(session, tokens[whose] ?? "", request, user);
      expect(answer.status).toBe(303);
      expect(answer.setCookie).toBeUndefined();
    },
  );

  it("without a session start a new one", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const request = requestOf(app);
    const { token } = await openPage(request);
    for (const session of ["", "authorize-session=forged", `authorize-session=${user.token}`]) {
      const answer = await logInWith(session, token, request, user);
      expect(answer.status).toBe(303);
      const page = await openPage(request, answer.setCookie?.split(";")[0]);
      expect(page.body).toContain("Your session has ended.");
      expect(page.body).not.toContain(user.email);
    }
  });

  it.each([
    [{ origin: "https://evil.example.com" }],
    [{ origin: "null" }],
    [{ "sec-fetch-site": "cross-site" }],
    [{ "sec-fetch-site": "same-site" }],
    [{ "sec-fetch-site": "none" }],
  ])("with %o are refused, and the session stays", async (headers) => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const request = requestOf(app);
    const { session, token } = await openPage(request);
    const fields = { form_token: token, ...ofUser(user) };
    const answer = await send("login", request, fields, { cookie: session, ...(headers as object) });
    expect(outcome(answer)).toBe("400 bad-request");
    expect(answer.setCookie).toBeUndefined();
  });

  it("agree for nobody before the login is complete", async () => {
    const user = await newUser({}, own);
    const request = requestOf(await newApp({}, own));
    const started = await openPage(request, undefined, own);
    const cookie = { cookie: started.session };
    const fields = { form_token: started.token, decision: "allow" };
    const early = await send("decision", request, fields, cookie, own);
    expect(early.headers.get("location")).toMatch(/^\/authorize\?/);

    const logIn = { form_token: started.token, ...ofUser(user) };
    const answer = await send("login", request, logIn, cookie, own);
    const half = await openPage(request, answer.setCookie?.split(";")[0], own);
    const cookieOfHalf = { cookie: half.session };
    const later = await send("decision", request, { ...fields, form_token: half.token }, cookieOfHalf, own);
    expect(later.headers.get("location")).toMatch(/^\/authorize\?/);
    const wrongStep = await send("code", request, { form_token: started.token, code: "123456" }, cookie, own);
    expect(wrongStep.setCookie).toBeUndefined();
  });

  it("are worth nothing when the session has expired", async () => {
    const user = await newUser({}, own);
    const request = requestOf(await newApp({}, own));
    const { session, token } = await openPage(request, undefined, own);
    own.advance(62);
    const fields = { form_token: token, ...ofUser(user) };
    const answer = await send("login", request, fields, { cookie: session }, own);
    const page = await openPage(request, answer.setCookie?.split(";")[0], own);
    expect(page.body).toContain("Your session has ended.");
  });

  it.each([
    ["login", { identity: "ada" }],
    ["login", { identity: "a".repeat(321), password: somePassword }],
    ["decision", { decision: "perhaps" }],
    ["code", { code: "1".repeat(65) }],
    ["logout", {}],
  ])("of the step %s with %o are 400", async (step, fields) => {
    const request = requestOf(await newApp());
    expect(outcome(await send(step, request, fields as Record<string, string>, {}))).toBe("400 bad-request");
  });
});

describe.concurrent("GET /authorize", () => {
  const open = (request: Record<string, string>, accept = "text/html,*/*;q=0.8") =>
    fetch(authorizeUrl(request), { redirect: "manual", headers: { accept } });

  it.each([
    "scope",
    "response_type",
    "client_id",
    "redirect_uri",
    "state",
    "code_challenge",
    "code_challenge_method",
  ])("needs %s", async (name) => {
    const { [name]: _, ...request } = requestOf(await newApp());
    expect((await openPage(request)).status).toBe(400);
  });

  it("refuses the method plain, other response types, and a code verifier", async () => {
    const request = requestOf(await newApp());
    for (const change of [
      { code_challenge_method: "plain" },
      { response_type: "token" },
      { code_verifier: pkce().verifier },
    ]) {
      expect(outcome(await openPage({ ...request, ...change } as Record<string, string>))).toBe(
        "400 bad-request",
      );
    }
  });

  it("tells of an unknown app and a wrong redirect URL on a page, or in JSON to who wants no page", async () => {
    const request = requestOf(await newApp());
    const unknown = { ...request, client_id: randomUUID() };
    const elsewhere = { ...request, redirect_uri: "https://evil.example.com/" };
    const pages = await Promise.all([open(unknown), open(elsewhere)]);
    expect(pages.map(({ status }) => status)).toEqual([404, 400]);
    for (const page of pages) {
      expect(page.headers.get("content-type")).toBe("text/html;charset=utf-8");
      expect(page.headers.get("content-security-policy")).toMatch("frame-ancestors 'none'");
      expect(page.headers.get("cache-control")).toBe("no-store");
    }
    expect(outcome(await openPage(unknown))).toBe("404 not-found");
    expect(outcome(await openPage(elsewhere))).toBe("400 redirect-url-miss-match");
  });

  it.each([
    ["another host", (url: string) => url.replace("//", "//evil.example.com/")],
    ["a path below", (url: string) => `${url}/../evil`],
    ["a user part", (url: string) => url.replace("//", "//evil.example.com@")],
    ["a longer host", (url: string) => url.replace(".example.com", ".example.com.evil.example.org")],
    ["a query", (url: string) => `${url}?next=https://evil.example.com`],
    ["a fragment", (url: string) => `${url}#evil`],
    ["another scheme", (url: string) => url.replace("https:", "http:")],
    ["upper case", (url: string) => url.toUpperCase()],
    ["no scheme", (url: string) => url.replace("https:", "")],
    ["a script", () => "javascript:alert(1)//"],
    ["a line break", (url: string) => `${url}\r\nSet-Cookie: a=b`],
  ])("redirects nobody to %s", async (_, change) => {
    const app = await newApp();
    const { token } = await newUser();
    const request = { ...requestOf(app), redirect_uri: change(app.redirect_url) };
    const byPage = await open(request);
    const byToken = await api("GET", `/authorize?${new URLSearchParams(request)}`, { token });
    expect([byPage.status, byPage.headers.get("location")]).toEqual([400, null]);
    expect(await byPage.text()).not.toContain("evil");
    expect(outcome(byToken)).toBe("400 redirect-url-miss-match");
    expect(byToken.headers.get("location")).toBeNull();
  });

  it("with a bearer token agrees at once; with a bad one it is 401", async () => {
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

  it("answers no page to HEAD, and only GET", async () => {
    const path = `/authorize?${new URLSearchParams(requestOf(await newApp()))}`;
    expect(await api("HEAD", path)).toMatchObject({ status: 200, body: "" });
    expect(outcome(await api("POST", path))).toBe("405 method-not-allowed");
  });
});
