import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { axeFindings, barriersOn, hasBrowser, inBrowser, browserTest as it } from "../../support/browser.ts";
import { sharedStack } from "../../support/shared-stack.ts";

const widths = [1280, 375] as const;
const withScripts = { javaScriptEnabled: true, viewport: { width: 1280, height: 800 } };
const publicPage = (path = "/api/docs") => sharedStack().publicUrl + path;
const internalPage = (path = "/i/docs") => sharedStack().internalUrl + path;

/** Opens a page that shows an API document, and waits until it lists the operations. */
async function open(page: Page, address = publicPage()): Promise<Page> {
  await page.goto(address);
  await page
    .getByRole("status")
    .getByText(/\d+ of \d+/)
    .waitFor();
  return page;
}

const found = (page: Page) => page.getByLabel("Found").getByRole("link");

/** Types words into the search, and opens what is then found first: it has to be visible. */
async function openFirst(page: Page, typed: string, expected: RegExp): Promise<string> {
  await page.getByLabel("Search").fill(typed);
  const first = found(page).first();
  const text = async () => (await first.innerText()).replace(/\s+/, " ");
  await expect.poll(text).toMatch(expected);
  const bottom = async () => {
    const box = await first.boundingBox();
    return box ? box.y + box.height : Infinity;
  };
  await expect.poll(bottom).toBeLessThan(800);
  const opened = await text();
  await first.click();
  return opened;
}

describe.skipIf(!hasBrowser)("the page that shows the API document", inBrowser, () => {
  it.for(["/v8", "/v9"])("of %s finds operations without scrolling", async (version, { newTab }) => {
    const page = await open(await newTab(withScripts), publicPage(`${version}/api/docs`));
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      for (const [typed, expected] of [
        ["prekey", /prekey/i],
        ["send message", /^POST Send an encrypted message to a conversation$/],
        ["invite", /^POST Invite an email address to a team$/],
        ["log out", /^POST Log out$/],
      ] as const) {
        const text = await openFirst(page, typed, expected);
        const name = text.replace(/^\S+ /, "");
        const title = page.getByRole("heading", { level: 1, name, exact: true });
        await expect.poll(async () => (await title.boundingBox())?.y).toBeLessThan(400);
        await page.evaluate("scrollTo(0, 0)");
      }
    }
  });

  it("begins with the newest stable version, and shows others", async ({ newTab }) => {
    const page = await open(await newTab(withScripts));
    const version = page.getByLabel("Version");
    await expect.poll(() => version.inputValue()).toBe("8");
    const loaded = page.waitForResponse((response) => response.url().endsWith("/v3/api/openapi.json"));
    await version.selectOption("3");
    expect((await loaded).ok()).toBe(true);
    await open(page, publicPage("/v5/api/docs"));
    await expect.poll(() => page.getByLabel("Version").inputValue()).toBe("5");
  });

  it("finds sections of guides, also from the page of a guide", async ({ newTab }) => {
    const page = await newTab(withScripts);
    await page.goto(publicPage("/v8/api/docs/guides/overview"));
    await page.getByLabel("Search").fill("existing client");
    await page.getByLabel("Search").press("Enter");
    await found(page).getByText("Pointing an existing client here").first().click();
    await page.waitForURL(/\/v8\/api\/docs\/guides\/existing#/);
    await page.getByRole("heading", { level: 1, name: "Pointing an existing client here" }).waitFor();
  });

  it("says what an operation asks for, and what the body of an upload consists of", async ({ newTab }) => {
    const page = await open(await newTab(withScripts), publicPage("/api/docs#get-self"));
    await page.getByText("Access: accessToken, or oauth with read:self").waitFor();
    await page.goto(publicPage("/api/docs#assets-upload"));
    await page.getByText("Each part has the headers Content-Type and Content-Length").waitFor();
  });

  it("leads from an operation to the form that sends it, and shows what it answers", async ({ newTab }) => {
    const page = await open(await newTab(withScripts), publicPage("/v9/api/docs#get-self"));
    await page.getByText("Example", { exact: true }).first().click();
    await page.getByText(`"domain": "${sharedStack().settings.domain}"`).first().waitFor();
    await page.getByRole("link", { name: "Try it out" }).click();
    await page.getByRole("button", { name: "Try it out" }).waitFor();
    expect(await page.getByRole("button", { name: "Try it out" }).count()).toBe(1);
  });

  it("explains before it lists, on a phone", async ({ newTab }) => {
    const page = await newTab({ ...withScripts, viewport: { width: 375, height: 800 } });
    await page.goto(publicPage());
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expect.poll(() => found(page).first().isVisible()).toBe(false);
    await page.getByLabel("Search").fill("prekey");
    await found(page).first().waitFor();
  });

  it("lists operations by subject, and guides, until something is searched for", async ({ newTab }) => {
    const page = await open(await newTab(withScripts));
    const titles = page.locator("#found li:not(:has(a))");
    const all = await titles.allInnerTexts();
    expect(all).toEqual(expect.arrayContaining(["Accounts", "Conversations", "Types of events"]));
    expect(new Set(all).size).toBe(all.length);
    const guide = page.getByRole("link", { name: "Quick start in Python", exact: true });
    await guide.waitFor();
    await page.getByLabel("Search").fill("prekey");
    await expect.poll(() => titles.count()).toBe(0);
    await guide.waitFor({ state: "hidden" });
    await page.getByLabel("Search").fill("");
    await guide.click();
    await page.getByRole("heading", { level: 1, name: "Quick start in Python" }).waitFor();
  });

  it("transfers less than 150 kB", async ({ newTab }) => {
    const page = await newTab(withScripts);
    const sizes: Promise<number>[] = [];
    page.on("requestfinished", (request) =>
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize)),
    );
    await open(page);
    await page.waitForLoadState("networkidle");
    expect((await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000);
  });
});

describe.skipIf(!hasBrowser)("guides on pages without scripts", inBrowser, () => {
  it("are reached from the API document, and from each other", async ({ newTab }) => {
    const page = await newTab();
    await page.goto(publicPage());
    await page.getByRole("link", { name: "Quick start in TypeScript" }).click();
    await page.getByRole("link", { name: "order", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Errors, repetition and order" }).waitFor();
    await page.getByRole("cell", { name: "the request is malformed" }).waitFor();
    await page.getByRole("main").getByRole("link", { name: "API document" }).click();
    await page.waitForURL("**/api/openapi.json");
  });
});

describe.skipIf(!hasBrowser)("a guide with scripts", inBrowser, () => {
  it("names the addresses of this server, and copies code", async ({ newTab }) => {
    const page = await newTab({ ...withScripts, permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(publicPage("/api/docs/guides/curl"));
    await page.getByText(`curl -s ${sharedStack().publicUrl}`).first().waitFor();
    expect(await page.getByRole("main").innerText()).not.toContain("127.0.0.1:8080");
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(copied).toBe(await page.locator("main pre").first().textContent());
  });
});

describe.skipIf(!hasBrowser)("the page of the internal API", inBrowser, () => {
  it("finds operations, says how to call them, and leads to the public document", async ({ newTab }) => {
    const page = await open(await newTab(withScripts), internalPage());
    await openFirst(page, "openapi", /^GET Get this document$/);
    await page.getByRole("heading", { level: 1, name: "Get this document" }).waitFor();
    await page.goto(internalPage("/i/docs#i-get-user-status"));
    await page.getByText("npm run admin -- call i-get-user-status uid=…").waitFor();
    await page.getByRole("link", { name: "Public API and guides" }).click();
    await page.getByLabel("Version").waitFor();
  });
});

const { guides }: { guides: { name: string; title: string }[] } = await (
  await fetch(publicPage("/api/docs/guides"))
).json();
/** Operations in a list that are like those before them. */
const moreOperations = "#found li:nth-child(n + 40)";
/** Addresses of pages, with their headings. */
const pages: [string, string | RegExp][] = [
  [publicPage(), /API/],
  [publicPage("/v9/api/docs?search=message#post-proteus-message"), /message/i],
  [publicPage("/api/docs?search=event#schema:Event"), /Event/],
  [publicPage("/api/docs?search=retry"), /API/],
  [internalPage("/i/docs?search=index"), /internal API/],
  [internalPage("/i/docs?search=status#i-get-status"), /service is up/],
  ...guides.map(({ name, title }): [string, string] => [publicPage(`/api/docs/guides/${name}`), title]),
];

describe.skipIf(!hasBrowser)("barriers", inBrowser, () => {
  it("are on no page of the documents and guides", async ({ newTab }) => {
    const page = await newTab(withScripts);
    for (const [address, title] of pages) {
      await page.goto(address);
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        const coloursIn = width === widths[0] ? "light" : "none";
        const options = { known: moreOperations, coloursIn } as const;
        const findings = [...(await axeFindings(page, options)), ...(await barriersOn(page))];
        expect([address, width, ...findings]).toEqual([address, width]);
      }
    }
  });
});
