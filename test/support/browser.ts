import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";

const usualPaths = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = [process.env.CHROMIUM, ...usualPaths].find(
  (path) => path !== undefined && existsSync(path),
);

/** Whether there is a browser to test with; says how to get one when there is none. */
export function hasBrowser(): boolean {
  if (executablePath === undefined) {
    console.warn(
      "Browser tests are skipped: install Chromium (apt-get install chromium) or name it in CHROMIUM.",
    );
  }
  return executablePath !== undefined;
}

let launched: ReturnType<typeof chromium.launch> | undefined;
const servers: Server[] = [];
afterAll(async () => {
  await (await launched)?.close();
  // Only now: tabs go on asking for icons as long as they are open.
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

export interface Site {
  /** Without slash at the end. */
  readonly origin: string;
  /** Paths with queries that were asked for. */
  readonly visits: string[];
}

interface BrowserFixtures {
  /**
   * A tab of a browser of its own, with scripts switched off. The test fails when the browser complains about something
   * in its console, which is where violations of the content security policy appear.
   */
  readonly newTab: (options?: BrowserContextOptions) => Promise<Page>;
  /** A web site of somebody else. */
  readonly newSite: (
    answer?: (request: IncomingMessage) => { body?: string; location?: string },
    options?: { host?: string },
  ) => Promise<Site>;
}

/** A test with a browser; what it opens is closed with it. */
export const browserTest = test.extend<BrowserFixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures that this one needs
  newTab: async ({}, use) => {
    const contexts: BrowserContext[] = [];
    const complaints: string[] = [];
    await use(async (options) => {
      launched ??= chromium.launch({ executablePath, args: ["--disable-gpu"] });
      const context = await (await launched).newContext({ javaScriptEnabled: false, ...options });
      contexts.push(context);
      context.setDefaultTimeout(30_000);
      context.on("console", (message) => {
        // Refusals are pages with a status of an error.
        if (!/status of 4\d\d/.test(message.text())) complaints.push(message.text());
      });
      return context.newPage();
    });
    await Promise.all(contexts.map((context) => context.close()));
    expect(complaints).toEqual([]);
  },

  // biome-ignore lint/correctness/noEmptyPattern: as above
  newSite: async ({}, use) => {
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

const findBarriers = readFileSync(new URL("./find-barriers.js", import.meta.url), "utf8");

/** What makes a page hard to use for some, in light and dark: structure, labels, width, contrast. */
export async function barriersOn(page: Page): Promise<string[]> {
  const barriers: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    barriers.push(...(await page.evaluate<string[]>(findBarriers)));
  }
  return barriers;
}
