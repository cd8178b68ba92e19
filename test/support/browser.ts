import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AxeResults, RunOptions } from "axe-core";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from "playwright-core";
import { expect, test } from "vitest";
import { count } from "./costs.ts";

/** Paths of browsers, those that people use first. */
const usualPaths = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/chromium-headless-shell",
];
const executablePath = [process.env.CHROMIUM, ...usualPaths].find(
  (path) => path !== undefined && existsSync(path),
);

/** Whether there is a browser to test with. */
export const hasBrowser = executablePath !== undefined;
/** Options of tests in a browser. */
export const inBrowser = {
  meta: { needs: "Chromium (apt-get install chromium, or its path in CHROMIUM)" },
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

/** The browser of this worker, which has many contexts, each like a profile of its own. */
let started: Promise<Browser> | undefined;

const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: ["--disable-gpu", `--disable-features=${disabledFeatures}`],
    timeout: 100_000,
  });

interface BrowserFixtures {
  /** Started for the first test of a worker that needs it, and closed when the worker ends. */
  readonly browser: Browser;
  /** Servers of sites, closed at the end of the file: tabs keep requesting icons as long as they are open. */
  readonly servers: Server[];
  /** Problems that a user would notice on the pages of the test, which fails unless it removes them all. */
  readonly complaints: string[];
  /** A tab in a browser context of its own, with scripts disabled. */
  readonly newTab: (options?: BrowserContextOptions) => Promise<Page>;
  /** A third party's web site. */
  readonly newSite: (
    answer?: (request: IncomingMessage) => { status?: number; body?: string; location?: string },
    options?: { host?: string },
  ) => Promise<Site>;
}

/** A test with a browser; everything that the test opens is closed when it ends. */
export const browserTest = test.extend<BrowserFixtures>({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures that this one needs
    async ({}, use) => {
      // Tests that extend this one share the module, but not the fixture.
      started ??= startBrowser();
      const browser = await started;
      await use(browser);
      await browser.close();
    },
    { scope: "worker" },
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

  // biome-ignore lint/correctness/noEmptyPattern: as above
  complaints: async ({}, use) => {
    const complaints: string[] = [];
    await use(complaints);
    expect(complaints).toEqual([]);
  },

  newTab: async ({ browser, complaints }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (options) => {
      const context = await browser.newContext({ javaScriptEnabled: false, ...options });
      contexts.push(context);
      context.setDefaultTimeout(60_000);
      const complain = (complaint: string) => void complaints.push(complaint);
      listenForComplaints(context, complain);
      count("pages");
      const page = await context.newPage();
      page.on("domcontentloaded", () => count("pages"));
      await listenToLog(page, complain);
      // A window that is closed before anybody listens has no log.
      context.on("page", (popup) => void listenToLog(popup, complain).catch(() => {}));
      return page;
    });
    await Promise.all(contexts.map((context) => context.close()));
  },

  newSite: async ({ servers }, use) => {
    await use(async (answer = () => ({}), { host = "127.0.0.1" } = {}) => {
      const visits: string[] = [];
      const server = createServer((request, response) => {
        if (request.url !== "/favicon.ico") visits.push(request.url ?? "");
        const {
          body = "<!doctype html><title>App</title><h1>Welcome back</h1>",
          location,
          status = location === undefined ? 200 : 302,
        } = answer(request);
        const headers = { "content-type": "text/html", ...(location !== undefined && { location }) };
        response.writeHead(status, headers).end(body);
      });
      servers.push(server);
      await once(server.listen(0, "127.0.0.1"), "listening");
      return { origin: `http://${host}:${(server.address() as AddressInfo).port}`, visits };
    });
  },
});

type Complain = (complaint: string) => void;

/** Collects what scripts throw or report, and what a page refers to but does not get. */
function listenForComplaints(context: BrowserContext, complain: Complain): void {
  context.on("weberror", (error) => complain(`thrown: ${error.error().message}`));
  context.on("console", (message) => {
    // Messages of the browser itself, which have no arguments, are in its log.
    if (message.args().length > 0 && reported.has(message.type())) complain(`script: ${message.text()}`);
  });
  context.on("response", (response) => {
    const status = response.status();
    // A page refuses by its status; a script decides what a refusal means.
    if (status >= 500 || (status >= 400 && !refusable.has(response.request().resourceType())))
      complain(`answered ${status}: ${response.url()}`);
  });
  context.on("requestfailed", (request) => {
    const { errorText = "" } = request.failure() ?? {};
    // Leaving a page, or downloading instead, aborts requests.
    if (!request.isNavigationRequest() && errorText !== "net::ERR_ABORTED")
      complain(`${errorText}: ${request.url()}`);
  });
}

const reported: ReadonlySet<string> = new Set(["assert", "error", "warning"]);
const refusable: ReadonlySet<string> = new Set(["document", "fetch", "xhr"]);

/**
 * Collects what the browser itself reports as an error or a warning, such as violations of the content security policy.
 * Its recommendations depend on the kind of browser and on its version. Requests tell more about the network.
 */
async function listenToLog(page: Page, complain: Complain): Promise<void> {
  const log = await page.context().newCDPSession(page);
  log.on("Log.entryAdded", ({ entry: { source, level, text } }) => {
    if (source !== "network" && reported.has(level)) complain(`${source}: ${text}`);
  });
  await log.send("Log.enable");
}

/** Clicks what leads to another page, and waits until that has loaded. */
export async function follow(control: Locator): Promise<void> {
  await Promise.all([control.page().waitForEvent("load"), control.click()]);
}

const findBarriers = readFileSync(new URL("./find-barriers.js", import.meta.url), "utf8");
/** The script alone, for every page to load: half the size of what `axe-core` exports. */
const axeSource = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
/** Rules about colours, which take axe longest. */
const colourRules = ["color-contrast", "link-in-text-block"];

/** Find accessibility barriers on a page, in light and dark mode: structure, labels, width, contrast. */
export async function barriersOn(page: Page): Promise<string[]> {
  const barriers: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    barriers.push(...(await page.evaluate<string[]>(findBarriers)));
  }
  return barriers;
}

interface AxeOptions {
  /** Selector of what other pages have in common with this one. */
  readonly known?: string | undefined;
  /** Modes in which to look at its colours; `barriersOn` looks at the contrast in both. */
  readonly coloursIn?: "both" | "light" | "none";
}

/** Findings of axe on a page: rules, with the elements that break them. */
export async function axeFindings(
  page: Page,
  { known, coloursIn = "both" }: AxeOptions = {},
): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axeSource);
  const context = { include: ["html"], exclude: known === undefined ? [] : [known] };
  const run = async (colorScheme: "light" | "dark", options: RunOptions) => {
    await page.emulateMedia({ colorScheme });
    const { violations } = await page.evaluate<AxeResults>(
      `axe.run(${JSON.stringify(context)}, ${JSON.stringify({ resultTypes: ["violations"], ...options })})`,
    );
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(", ")}`);
  };
  const inDark = coloursIn === "both" ? await run("dark", { runOnly: colourRules }) : [];
  const enabled = coloursIn !== "none";
  const rules = Object.fromEntries(colourRules.map((rule) => [rule, { enabled }]));
  return [...inDark, ...(await run("light", { rules }))];
}

/** Widths of the smallest phone that pages are made for (WCAG 2.2, "reflow"), and of a laptop. */
export const usualWidths = [320, 1280] as const;

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
