import { randomUUID } from "node:crypto";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { barriersOn, browserTest, follow, hasBrowser, inBrowser, type Site } from "../../support/browser.ts";
import { eventually } from "../../support/eventually.ts";
import { nextMessage, wrongCode } from "../../support/messages.ts";
import { type App, newApp, pkce, redeem, requestOf } from "../../support/oauth.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { newMember } from "../../support/teams.ts";
import { newEmail, newUser, register, somePassword, type User } from "../../support/users.ts";

const allScopes = "read:self write:conversations write:conversations_code read:feature_configs";

interface Visit {
  readonly page: Page;
  readonly app: App;
  readonly user: User;
  /** The app's site, which has the redirect URL. */
  readonly site: Site;
  readonly verifier: string;
  /** URL of the authorization request. */
  readonly url: string;
}

interface VisitOptions {
  readonly stack?: OwnStack;
  /** Name of the app. */
  readonly name?: string;
  readonly scope?: string;
  /** The user, if not a new one. */
  readonly person?: User;
  /** Fields of a new user's registration. */
  readonly fields?: Record<string, unknown>;
  readonly browser?: BrowserContextOptions;
}

/** `visit`: a user whom an app has sent to the authorization pages. */
const it = browserTest.extend<{ visit: (options?: VisitOptions) => Promise<Visit> }>({
  visit: ({ newSite, newTab }, use) =>
    use(async ({ stack, name, scope, person, fields = {}, browser } = {}) => {
      const site = await newSite();
      const redirect_url = `${site.origin}/callback?from=parley`;
      const [app, user] = await Promise.all([
        newApp({ redirect_url, name }, stack),
        person ?? newUser(fields, stack),
      ]);
      const { verifier, challenge } = pkce();
      const url = authorizeUrl(requestOf(app, { challenge, scope }), stack?.publicUrl);
      const page = await newTab(browser);
      await page.goto(url);
      return { page, app, user, site, verifier, url };
    }),
});

const authorizeUrl = (request: Record<string, string>, publicUrl: string = sharedStack().publicUrl) =>
  `${publicUrl}/authorize?${new URLSearchParams(request)}`;

async function logIn(page: Page, { email, password }: Pick<User, "email" | "password">): Promise<void> {
  await page.getByLabel("E-mail address or handle").fill(email);
  await page.getByLabel("Password").fill(password);
  await click(page, "Log in");
}

const wrong = (user: User) => ({ ...user, password: "wrong password" });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
/** Submits a form. */
const click = (page: Page, name: string) => follow(button(page, name));
const heading = (page: Page) => page.getByRole("heading", { level: 1 }).textContent();
const alert = (page: Page) => page.getByRole("alert").textContent();
const consentHeading = "Let “Calendar” access your account?";
const mismatch = "This address or handle and password don’t match.";

/** Query of the app's latest visit, once there have been this many. */
function lastVisitQuery({ visits }: Site, count = 1): Record<string, string> {
  expect(visits).toHaveLength(count);
  const { pathname, searchParams } = new URL(visits.at(-1) ?? "", "http://app");
  expect(pathname).toBe("/callback");
  return Object.fromEntries(searchParams);
}

describe.skipIf(!hasBrowser).concurrent("the pages in a browser without scripts", inBrowser, () => {
  it("let a user log in and agree, and the app redeem its code", async ({ visit }) => {
    const { page, app, site, user, verifier } = await visit();
    await logIn(page, user);
    expect(await heading(page)).toBe(consentHeading);
    const [cookie, ...others] = await page.context().cookies(`${sharedStack().publicUrl}/authorize/decision`);
    expect(cookie).toMatchObject({ path: "/authorize", httpOnly: true, secure: true, sameSite: "Lax" });
    expect(others).toEqual([]);
    expect(await page.context().cookies(sharedStack().publicUrl)).toEqual([]);

    await click(page, "Allow");
    expect(await heading(page)).toBe("Welcome back");
    const { code = "", ...answer } = lastVisitQuery(site);
    expect(answer).toEqual({ from: "parley", state: "some state", iss: sharedStack().publicUrl });
    const { status, body } = await redeem(app, { code, verifier });
    expect(status).toBe(200);
    expect((await api("GET", "/self", { token: body.access_token })).body.id).toBe(user.id);
  });

  it("submit no form again on reload or back navigation", async ({ visit }) => {
    const { page, user, site, url } = await visit();
    await logIn(page, wrong(user));
    expect(await alert(page)).toBe(mismatch);
    await page.reload();
    expect(page.url()).toBe(url);
    expect(await page.getByRole("alert").count()).toBe(0);
    await logIn(page, user);
    await page.reload();
    expect(page.url()).toBe(url);
    expect(await heading(page)).toBe(consentHeading);
    await click(page, "Allow");
    await page.waitForURL(`${site.origin}/**`);
    await page.goBack();
    expect(await heading(page)).toBe(consentHeading);

    await click(page, "Don’t allow");
    await page.waitForURL(`${site.origin}/**`);
    const refusal = { error: "access_denied", state: "some state", iss: sharedStack().publicUrl };
    expect(lastVisitQuery(site, 2)).toEqual({ from: "parley", ...refusal });
  });

  it("can be used by keyboard alone, with a visible focus", async ({ visit }) => {
    const { page, user, site } = await visit();
    const handle = `user-${randomUUID()}`;
    await api("PUT", "/self/handle", { token: user.token, json: { handle } });
    const focus = () =>
      page.evaluate("getComputedStyle(document.activeElement).outlineStyle + document.activeElement.name");
    await page.locator("[name=identity]:focus").waitFor();
    expect(await focus()).toBe("solididentity");
    await page.keyboard.type(handle);
    await page.keyboard.press("Tab");
    expect(await focus()).toBe("solidpassword");
    await page.keyboard.type("wrong password");
    await page.keyboard.press("Enter");
    expect(await alert(page)).toBe(mismatch);
    await page.locator("[name=password]:focus").waitFor();
    expect(await focus()).toBe("solidpassword");
    expect(await page.evaluate("document.activeElement.getAttribute('aria-describedby')")).toBe("problem");
    await page.keyboard.type(user.password);
    await page.keyboard.press("Enter");
    await page.getByText("Use another account").waitFor();
    await page.waitForLoadState();
    await page.keyboard.press("Tab");
    expect(await focus()).toBe("soliddecision");
    await page.keyboard.press("Space");
    await page.waitForURL(`${site.origin}/**`);
    expect(lastVisitQuery(site)).toHaveProperty("code");
  });

  it("stay accessible with long names, markup in names and small screens", async ({ visit }) => {
    const name = `<b>Donaudampfschifffahrt</b> "'&amp;</title>${"elektrizitäten".repeat(8)}`;
    const fields = { name: `<i>Ada</i> ${"Wolkenstein-Schillingsfürst".repeat(3)}` };
    const browser = { viewport: { width: 320, height: 600 } };
    const { page, user } = await visit({ name, fields, scope: allScopes, browser });
    expect(await barriersOn(page)).toEqual([]);
    const email = `"><b>${user.email}`;
    await logIn(page, { ...user, email });
    expect(await page.getByLabel("E-mail address or handle").inputValue()).toBe(email);
    expect(await barriersOn(page)).toEqual([]);
    await logIn(page, user);
    expect(await heading(page)).toBe(`Let “${name}” access your account?`);
    expect(await page.title()).toBe(`Let “${name}” access your account? – Parley`);
    expect(await page.getByText(fields.name).count()).toBe(1);
    expect(await page.getByRole("listitem").count()).toBe(4);
    expect(await barriersOn(page)).toEqual([]);
    await page.goto(`${sharedStack().publicUrl}/authorize`);
    expect(await heading(page)).toBe("You can’t continue here");
    expect(await barriersOn(page)).toEqual([]);
  });

  it("let users switch accounts, and recover from an outdated form in another tab", async ({ visit }) => {
    const { page, user, url } = await visit();
    const other = await newUser({ name: "Grace" });
    const tab = await page.context().newPage();
    await tab.goto(url);
    await logIn(page, user);
    expect(await page.getByText(user.email).count()).toBe(1);
    await logIn(tab, wrong(user));
    expect(await heading(tab)).toBe(consentHeading);
    await click(page, "Use another account");
    expect(await heading(page)).toBe("Log in");
    await logIn(page, other);
    expect(await page.getByText(other.email).count()).toBe(1);
    expect(await page.getByText(user.email).count()).toBe(0);
    await page.context().clearCookies();
    await click(page, "Allow");
    expect(await alert(page)).toMatch("Your session has ended.");
  });

  it("let the app redirect the browser to another origin", async ({ newSite, newTab }) => {
    const end = await newSite(undefined, { host: "localhost" });
    const callback = await newSite(() => ({ location: `${end.origin}/start` }));
    const redirect_url = `${callback.origin}/callback`;
    const [app, user, page] = await Promise.all([newApp({ redirect_url }), newUser(), newTab()]);
    await page.goto(authorizeUrl(requestOf(app)));
    await logIn(page, user);
    await click(page, "Allow");
    await page.waitForURL(`${end.origin}/start`);
  });

  it("open an app on the device by its private URL scheme", async ({ newTab }) => {
    const redirect_url = "com.example.calendar:/callback";
    const [app, user, page] = await Promise.all([newApp({ redirect_url }), newUser(), newTab()]);
    await page.goto(authorizeUrl(requestOf(app)));
    await logIn(page, user);
    expect(await page.getByText("com.example.calendar:").count()).toBe(1);
    const answer = page.waitForResponse((response) => response.status() === 302);
    await button(page, "Allow").click();
    const location = await (await answer).headerValue("location");
    expect(location).toMatch(/^com\.example\.calendar:\/callback\?code=[0-9a-f]{64}&state=some\+state&iss=/);
  });

  it("cannot be shown in a frame by another page", async ({ newSite, newTab }) => {
    const url = authorizeUrl(requestOf(await newApp())).replaceAll("&", "&amp;");
    const { origin } = await newSite(() => ({ body: `<iframe src="${url}"></iframe>` }));
    const page = await newTab();
    const refusals: string[] = [];
    page.context().removeAllListeners("console");
    page.on("console", (message) => refusals.push(message.text()));
    await page.goto(origin);
    await eventually(() => {
      expect(page.frames()[1]?.url()).toMatch("chrome-error:");
      expect(refusals.join()).toMatch("frame-ancestors");
    });
  });

  it("ignore a form on another origin, even with a stolen token", async ({ newSite, visit }) => {
    const { page, site, url, user } = await visit();
    await logIn(page, user);
    const token = await page.locator("input[name=form_token]").first().getAttribute("value");
    const action = url.replace("/authorize?", "/authorize/decision?").replaceAll("&", "&amp;");
    const body = `<form method="post" action="${action}">
      <input name="form_token" value="${token}"><button name="decision" value="allow">Win</button></form>`;
    for (const host of ["localhost", "127.0.0.1"]) {
      const evil = await newSite(() => ({ body }), { host });
      await page.goto(evil.origin);
      await click(page, "Win");
      expect(await heading(page)).toBe("You can’t continue here");
      await page.goto(url);
      expect(await heading(page)).toBe(consentHeading);
    }
    expect(site.visits).toEqual([]);
  });

  it("ask for a second factor, without which the password is not enough", async ({ visit }) => {
    const own = await stackWith({ sndFactorPasswordChallenge: { defaults: { status: "enabled" } } });
    const person = await newMember({}, own);
    const { page, app, user, site, verifier, url } = await visit({ stack: own, person });
    await logIn(page, user);
    await page.goto(url);
    expect(await heading(page)).toBe("Enter your code");
    const { headers } = await nextMessage(user.email, { purpose: "SecondFactorVerification" });
    const code = headers["X-Svc-Code"] ?? "";
    for (const attempt of [wrongCode(code), "no code"]) {
      await page.getByLabel("Verification code").fill(attempt);
      await click(page, "Continue");
      expect(await alert(page)).toBe("This code is wrong or has expired.");
    }
    expect(await barriersOn(page)).toEqual([]);
    await page.getByLabel("Verification code").fill(` ${code.slice(0, 3)} ${code.slice(3)} `);
    await click(page, "Continue");
    expect(await heading(page)).toBe(consentHeading);
    await click(page, "Allow");
    await page.waitForURL(`${site.origin}/**`);
    const { code: granted = "" } = lastVisitQuery(site);
    expect(outcome(await redeem(app, { code: granted, verifier }, {}, own))).toBe("200");
  });

  it("ask for confirmation before the link in a mail deletes an account", async ({ newTab }) => {
    const [user, page] = await Promise.all([newUser(), newTab({ viewport: { width: 320, height: 600 } })]);
    await api("DELETE", "/self", { token: user.token, json: {} });
    const { text } = await nextMessage(user.email, { purpose: "Delete" });
    const link = /http\S+/.exec(text)?.[0] ?? "";
    await page.goto(link);
    expect(await heading(page)).toBe("Delete your account?");
    expect(await barriersOn(page)).toEqual([]);
    expect(outcome(await api("GET", "/self", { token: user.token }))).toBe("200");
    await click(page, "Delete account");
    expect(await heading(page)).toBe("Your account is deleted");
    expect(await barriersOn(page)).toEqual([]);
    expect(outcome(await api("GET", "/self", { token: user.token }))).toBe("404 not-found");

    await page.goto(link);
    await click(page, "Delete account");
    expect(await heading(page)).toBe("This didn’t work");
    expect(await alert(page)).toBe("This link is wrong, has expired, or has been used.");
    expect(await barriersOn(page)).toEqual([]);
  });

  it("ask for confirmation before the link in a mail activates an account", async ({ newTab }) => {
    const email = newEmail();
    const [page] = await Promise.all([
      newTab({ viewport: { width: 360, height: 640 } }),
      register({ email, password: somePassword }),
    ]);
    const { text } = await nextMessage(email, { purpose: "Activation" });
    const link = /http\S+/.exec(text)?.[0] ?? "";
    await page.goto(link);
    expect(await heading(page)).toBe("Confirm your e\u2011mail address");
    expect(await barriersOn(page)).toEqual([]);
    const login = { json: { email, password: somePassword } };
    expect(outcome(await api("POST", "/login", login))).toBe("403 pending-activation");
    await click(page, "Confirm e-mail address");
    expect(await heading(page)).toBe("Your e\u2011mail address is confirmed");
    expect(await barriersOn(page)).toEqual([]);
    expect(outcome(await api("POST", "/login", login))).toBe("200");

    await page.goto(link);
    await click(page, "Confirm e-mail address");
    expect(await heading(page)).toBe("Your e\u2011mail address was already confirmed");
    expect(await barriersOn(page)).toEqual([]);

    await page.goto(`${link}0`);
    await click(page, "Confirm e-mail address");
    expect(await heading(page)).toBe("This didn’t work");
    expect(await barriersOn(page)).toEqual([]);
  });
});
