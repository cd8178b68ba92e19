import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import axe from "axe-core";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from "playwright-core";
import { expect, test } from "vitest";

/** First the one without windows, which needs a third of the CPU time. */
const usualPaths = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const executablePath = [process.env.CHROMIUM, ...usualPaths].find(
  (path) => path !== undefined && existsSync(path),
);

/** Whether there is a browser to test with. */
export const hasBrowser = executablePath !== undefined;
/** What tests in a browser need. */
export const inBrowser = {
  meta: { needs: "Chromium (apt-get install chromium-headless-shell, or its path in CHROMIUM)" },
};

/**
 * Parts of the browser's own interface, each of which opens as a page in every new window, and the features that
 * Playwright disables and these pages could meet: the switch replaces Playwright's own list.
 */
const disabledFeatures = [
  ...[
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "PreloadTopChromeWebUI",
    "InitialWebUI",
  ],
  ...["HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "PaintHolding", "Translate", "OptimizationHints"],
];

/** A web site that records its visits. */
export interface Site {
  /** Without a trailing slash. */
  readonly origin: string;
  /** Requested paths, with their queries. */
  readonly visits: string[];
}

interface BrowserFixtures {
  /** Started for the first test of a file that needs it, and closed after the last. */
  readonly browser: Browser;
  /** Servers of sites, closed at the end of the file: tabs keep requesting icons as long as they are open. */
  readonly servers: Server[];
  /**
   * A tab in a browser context of its own, with scripts disabled. The test fails when the browser reports something in
   * its console, which is where violations of the content security policy appear.
   */
  readonly newTab: (options?: BrowserContextOptions) => Promise<Page>;
  /** A third party's web site. */
  readonly newSite: (
    answer?: (request: IncomingMessage) => { body?: string; location?: string },
    options?: { host?: string },
  ) => Promise<Site>;
}

/** A test with a browser; everything that the test opens is closed when it ends. */
export const browserTest = test.extend<BrowserFixtures>({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures that this one needs
    async ({}, use) => {
      const browser = await chromium.launch({
        executablePath,
        args: ["--disable-gpu", `--disable-features=${disabledFeatures}`],
        timeout: 100_000,
      });
      await use(browser);
      await browser.close();
    },
    { scope: "file" },
  ],

  servers: [
    // biome-ignore lint/correctness/noEmptyPattern: as above
    async ({}, use) => {
      const servers: Server[] = [];
      await use(servers);
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
    { scope: "file" },
  ],

  newTab: async ({ browser }, use) => {
    const contexts: BrowserContext[] = [];
    const complaints: string[] = [];
    await use(async (options) => {
      const context = await browser.newContext({ javaScriptEnabled: false, ...options });
      contexts.push(context);
      context.setDefaultTimeout(60_000);
      context.on("console", (message) => {
        // A page that refuses something has an error status. A test may fill in a field before the browser comes to its focus.
        if (!/status of 4\d\d|^Autofocus processing was blocked/.test(message.text()))
          complaints.push(message.text());
      });
      return context.newPage();
    });
    await Promise.all(contexts.map((context) => context.close()));
    expect(complaints).toEqual([]);
  },

  newSite: async ({ servers }, use) => {
    await use(async (answer = () => ({}), { host = "127.0.0.1" } = {}) => {
      const visits: string[] = [];
      const server = createServer((request, response) => {
        if (request.url !== "/favicon.ico") visits.push(request.url ?? "");
        const { body = "<!doctype html><title>App</title><h1>Welcome back</h1>", location } = answer(request);
        const headers = { "content-type": "text/html", ...(location !== undefined && { location }) };
        response.writeHead(location === undefined ? 200 : 302, headers).end(body);
      });
      servers.push(server);
      await once(server.listen(0, "127.0.0.1"), "listening");
      return { origin: `http://${host}:${(server.address() as AddressInfo).port}`, visits };
    });
  },
});

/** Clicks what leads to another page, and waits until that has loaded. */
export async function follow(control: Locator): Promise<void> {
  await Promise.all([control.page().waitForEvent("load"), control.click()]);
}

const findBarriers = readFileSync(new URL("./find-barriers.js", import.meta.url), "utf8");

/** Find accessibility barriers on a page, in light and dark mode: structure, labels, width, contrast. */
export async function barriersOn(page: Page): Promise<string[]> {
  const barriers: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    barriers.push(...(await page.evaluate<string[]>(findBarriers)));
  }
  return barriers;
}

/** What axe finds on a page, in light and dark mode: rules, with the elements that break them. */
export async function axeFindings(page: Page): Promise<string[]> {
  const findings: string[] = [];
  await page.evaluate(axe.source);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await page.evaluate<axe.AxeResults>("axe.run()");
    findings.push(
      ...violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(", ")}`),
    );
  }
  return findings;
}

/** Widths of a phone and of a laptop. */
export const usualWidths = [375, 1280] as const;

/** Takes pictures of a page in both widths and modes, if `PAGE_PICTURES` names a folder for them. */
export async function takePictures(page: Page, name: string): Promise<void> {
  const folder = process.env.PAGE_PICTURES;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  const before = page.viewportSize();
  for (const width of usualWidths) {
    await page.setViewportSize({ width, height: 800 });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const path = join(folder, `${name}-${width}-${colorScheme}.png`);
      await page.screenshot({ path, fullPage: true });
    }
  }
  if (before !== null) await page.setViewportSize(before);
}
