import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { api } from "../../support/api.ts";
import { browserTest, follow, hasBrowser, inBrowser, type Site } from "../../support/browser.ts";
import { eventually } from "../../support/eventually.ts";
import { type App, newApp, pkce, redeem, requestOf } from "../../support/oauth.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { newUser, type User } from "../../support/users.ts";

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

/** `visit`: a new user whom an app has sent to the authorization pages. */
const it = browserTest.extend<{ visit: () => Promise<Visit> }>({
  visit: ({ newSite, newTab }, use) =>
    use(async () => {
      const site = await newSite();
      const redirect_url = `${site.origin}/callback?from=parley`;
      const [app, user] = await Promise.all([newApp({ redirect_url }), newUser()]);
      const { verifier, challenge } = pkce();
      const url = authorizeUrl(requestOf(app, { challenge }));
      const page = await newTab();
      await page.goto(url);
      return { page, app, user, site, verifier, url };
    }),
});

const authorizeUrl = (request: Record<string, string>) =>
  `${sharedStack().publicUrl}/authorize?${new URLSearchParams(request)}`;

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
    const refusal = {
      error: "access_denied",
      error_description: "The user has refused",
      state: "some state",
      iss: sharedStack().publicUrl,
    };
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

  it("cannot be shown in a frame by another page", async ({ complaints, newSite, newTab }) => {
    const url = authorizeUrl(requestOf(await newApp())).replaceAll("&", "&amp;");
    const { origin } = await newSite(() => ({ body: `<iframe src="${url}"></iframe>` }));
    const page = await newTab();
    await page.goto(origin);
    await eventually(() => {
      expect(page.frames()[1]?.url()).toMatch("chrome-error:");
      expect(complaints.join()).toMatch("frame-ancestors");
    });
    complaints.length = 0;
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
});
