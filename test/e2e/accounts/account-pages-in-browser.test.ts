import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { internalApi } from "../../support/api.ts";
import {
  axeFindings,
  barriersOn,
  follow,
  hasBrowser,
  inBrowser,
  browserTest as it,
} from "../../support/browser.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser, type User } from "../../support/users.ts";

/** Axe is a script that waits for timers; the pages have none. */
const forAxe = { javaScriptEnabled: true };
const heading = (page: Page) => page.getByRole("heading", { level: 1 }).textContent();
const note = (page: Page) => page.locator("[role=alert], [role=status]").textContent();

async function logIn(
  page: Page,
  { email, password }: User,
  { publicUrl } = sharedStack() as { publicUrl: string },
) {
  await page.goto(`${publicUrl}/account/profile`);
  await page.locator("#identity").fill(email);
  await page.locator("#password").fill(password);
  await follow(page.locator("button.primary"));
}

/** The element that the keyboard has reached: its id or text, if its outline is visible. */
const focus = (page: Page) =>
  page.evaluate(`(() => {
    const { id, textContent, parentElement } = document.activeElement;
    const isVisible = getComputedStyle(document.activeElement).outlineStyle === "solid";
    return isVisible ? id || textContent.trim() : "hidden";
  })()`);

describe.skipIf(!hasBrowser).concurrent("the account pages in a browser without scripts", inBrowser, () => {
  it("have no barriers with an operator’s colours, logo and links", async ({ newTab }) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 1"><rect width="4" height="1"/></svg>`;
    const own = await stackWith({
      productName: "Acme Chat",
      branding: {
        accent: { light: "#0a7a4b", dark: "#6fdca8" },
        logo: { light: `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}` },
        legalLinks: { privacy: "https://example.com/privacy" },
      },
    });
    const page = await newTab({ ...forAxe, viewport: { width: 375, height: 700 } });
    const user = await newUser({}, own);
    await logIn(page, user, own);
    expect(await heading(page)).toBe("Profile");
    expect([await barriersOn(page), await axeFindings(page)]).toEqual([[], []]);
    expect(await page.getByRole("img", { name: "Acme Chat" }).count()).toBe(1);
    expect(await page.evaluate("document.querySelector('img').naturalWidth > 0")).toBe(true);
    expect(await page.getByRole("link", { name: "Privacy" }).getAttribute("href")).toBe(
      "https://example.com/privacy",
    );
    await page.emulateMedia({ colorScheme: "dark" });
    const colour = await page.evaluate("getComputedStyle(document.querySelector('button.plain')).color");
    expect(colour).toBe("rgb(111, 220, 168)");
  });

  it("can be used by keyboard alone, with a visible focus", async ({ newTab }) => {
    const user = await newUser();
    const page = await newTab();
    await page.goto(`${sharedStack().publicUrl}/account/profile`);
    await page.locator("#identity:focus").waitFor();
    await page.keyboard.type(user.email);
    await page.keyboard.press("Tab");
    await page.keyboard.type(user.password);
    await page.keyboard.press("Enter");
    await page.getByLabel("Language of messages to you").waitFor();
    await page.waitForLoadState();
    const reached: unknown[] = [];
    for (let count = 0; count < 12; count++) {
      await page.keyboard.press("Tab");
      reached.push(await focus(page));
    }
    expect(reached).toEqual([
      ...["Profile", "Password and security", "Sessions", "Apps", "Delete account"],
      ...[
        "name",
        "Save – Name",
        "handle",
        "Save – Handle",
        "locale",
        "Save – Language of messages to you",
        "Log out",
      ],
    ]);
    await page.locator("#name").focus();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type("Grace");
    await page.keyboard.press("Enter");
    await page.getByText("Your name is changed.").waitFor();

    await page.goto(`${sharedStack().publicUrl}/account/sessions`);
    await page.locator("input[type=radio]").first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    expect(await focus(page)).toBe("password");
    await page.keyboard.type(user.password);
    await page.keyboard.press("Enter");
    await page.getByText("The session is ended.").waitFor();
  });

  it("report the result of a form once, and submit no form again on reload", async ({ newTab }) => {
    const user = await newUser();
    const page = await newTab();
    await logIn(page, user);
    await page.goto(`${sharedStack().publicUrl}/account/deletion`);
    await page.locator("#password").fill("wrong password");
    await follow(page.getByRole("button", { name: "Delete account" }));
    expect(await note(page)).toBe("The password is wrong.");
    await page.reload();
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.locator("#password").fill(user.password);
    await follow(page.getByRole("button", { name: "Delete account" }));
    expect([await heading(page), await note(page)]).toEqual(["Log in", "Your account is deleted."]);
  });

  it("ignore a form on another origin, even with a stolen token", async ({ newSite, newTab }) => {
    const user = await newUser();
    const page = await newTab();
    await logIn(page, user);
    const token = await page.locator("input[name=form_token]").first().getAttribute("value");
    const body = `<form method="post" action="${sharedStack().publicUrl}/account/name">
      <input name="form_token" value="${token}"><input name="name" value="Eve"><button>Win</button></form>`;
    for (const host of ["localhost", "127.0.0.1"]) {
      const evil = await newSite(() => ({ body }), { host });
      await page.goto(evil.origin);
      await follow(page.getByRole("button"));
      expect(await heading(page)).toBe("This didn’t work");
    }
    await page.goto(`${sharedStack().publicUrl}/account/profile`);
    expect(await page.locator("#name").inputValue()).not.toBe("Eve");
  });

  it("reset a forgotten password from the login to the login", async ({ newTab }) => {
    const user = await newUser();
    const page = await newTab();
    await page.goto(`${sharedStack().publicUrl}/account/profile`);
    await follow(page.getByRole("link", { name: "Forgotten your password?" }));
    await page.locator("#address").fill(user.email);
    await follow(page.locator("button.primary"));
    expect(await page.locator("#address").inputValue()).toBe(user.email);
    const { body } = await internalApi("GET", `/i/users/password-reset-code?email=${user.email}`);
    await page.locator("#code").fill(body.code);
    await page.locator("#password").fill("another horse battery");
    await follow(page.locator("button.primary"));
    expect(await heading(page)).toBe("Your password is changed");
    await follow(page.getByRole("link", { name: "Log in to your account" }));
    await logIn(page, { ...user, password: "another horse battery" });
    expect(await heading(page)).toBe("Profile");
  });
});
