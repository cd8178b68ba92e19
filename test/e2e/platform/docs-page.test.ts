import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { barriersOn, hasBrowser, inBrowser, browserTest as it } from "../../support/browser.ts";
import { sharedStack } from "../../support/shared-stack.ts";

/** Opens the page that shows the API document, and waits until it lists the operations. */
async function open(page: Page, path = "/api/docs", url = sharedStack().publicUrl): Promise<Page> {
  await page.goto(url + path);
  await page
    .getByRole("status")
    .getByText(/\d+ of \d+/)
    .waitFor();
  return page;
}

const withScripts = (width: number) => ({ javaScriptEnabled: true, viewport: { width, height: 800 } });
const links = (page: Page) => page.getByRole("navigation").getByRole("link");

describe.skipIf(!hasBrowser)("the page that shows the API document", inBrowser, () => {
  it.for([
    ["prekey", /prekey/i],
    ["send message", /send.*message/i],
  ] as const)("finds %s without scrolling", async ([typed, expected], { newTab }) => {
    const page = await open(await newTab(withScripts(1280)));
    await page.getByLabel("Search").fill(typed);
    const first = links(page).first();
    expect(await first.innerText()).toMatch(expected);
    const box = await first.boundingBox();
    expect(box && box.y + box.height).toBeLessThan(800);
    const summary = (await first.innerText()).replace(/^\S+\s+/, "");
    await first.click();
    await page.getByRole("heading", { level: 1, name: summary, exact: true }).waitFor();
  });

  it("begins with the newest stable version, and shows others", async ({ newTab }) => {
    const page = await open(await newTab(withScripts(1280)));
    const version = page.getByLabel("Version");
    expect(await version.inputValue()).toBe("8");
    const loaded = page.waitForResponse((response) => response.url().endsWith("/v3/api/openapi.json"));
    await version.selectOption("3");
    expect((await loaded).ok()).toBe(true);
    const other = await open(await newTab(withScripts(1280)), "/v5/api/docs");
    expect(await other.getByLabel("Version").inputValue()).toBe("5");
  });

  it("says what an operation asks for", async ({ newTab }) => {
    const page = await open(await newTab(withScripts(1280)), "/api/docs#get-self");
    await page.getByText("Access: accessToken, or oauth with read:self").waitFor();
  });

  it("shows what the body of an upload consists of", async ({ newTab }) => {
    const page = await open(await newTab(withScripts(1280)), "/api/docs#assets-upload");
    await page.getByText("Each part has the headers Content-Type and Content-Length").waitFor();
  });

  it("lists operations by subject until something is searched for", async ({ newTab }) => {
    const page = await open(await newTab(withScripts(1280)));
    const titles = page.getByRole("navigation").locator("li:not(:has(a))");
    const all = await titles.allInnerTexts();
    expect(all).toEqual(expect.arrayContaining(["Accounts", "Conversations", "Types of events"]));
    expect(new Set(all).size).toBe(all.length);
    await page.getByLabel("Search").fill("prekey");
    expect(await titles.count()).toBe(0);
  });

  it("shows the document of the internal API at its port", async ({ newTab }) => {
    const page = await open(await newTab(withScripts(1280)), "/api/docs?internal", sharedStack().internalUrl);
    await page.getByRole("heading", { level: 1, name: "Parley internal API" }).waitFor();
    await page.getByLabel("Search").fill("suspend");
    await links(page).first().click();
    await page.getByRole("heading", { level: 2, name: "Answers" }).waitFor();
    expect(await page.getByRole("link", { name: "Try it out" }).count()).toBe(0);
    expect(await barriersOn(page)).toEqual([]);
  });

  it.for([1280, 375])("has no barriers at a width of %i", { timeout: 60_000 }, async (width, { newTab }) => {
    const page = await open(await newTab(withScripts(width)));
    expect(await barriersOn(page)).toEqual([]);
    await open(page, "/api/docs#post-proteus-message");
    await page.getByRole("heading", { level: 1, name: /message/i }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
  });
});
