import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { barriersOn, hasBrowser, inBrowser, browserTest as it } from "../../support/browser.ts";
import { sharedStack } from "../../support/shared-stack.ts";

/** Opens the page that shows the API document, and waits until it lists the operations. */
async function open(page: Page, path = "/api/docs"): Promise<Page> {
  await page.goto(sharedStack().publicUrl + path);
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

  it.for([1280, 375])("has no barriers at a width of %i", { timeout: 60_000 }, async (width, { newTab }) => {
    const page = await open(await newTab(withScripts(width)));
    expect(await barriersOn(page)).toEqual([]);
    await open(page, "/api/docs#post-proteus-message");
    await page.getByRole("heading", { level: 1, name: /message/i }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
  });
});
