import type { Page, Response } from "playwright-core";
import { describe, expect } from "vitest";
import { families } from "#functions/families.ts";
import { type Locale, locales } from "#shared/platform/html/choose-locale.ts";
import { pageBody } from "#shared/platform/html/page.ts";
import {
  axeFindings,
  barriersOn,
  follow,
  hasBrowser,
  inBrowser,
  browserTest as it,
  takePictures,
  usualWidths,
} from "../../support/browser.ts";
import { pageWalks } from "../../support/page-walks.ts";
import { sharedStack } from "../../support/shared-stack.ts";

/** Operations that answer with a page, with a pattern for their path. */
const pageOperations = families.flatMap(({ routes }) =>
  Object.entries(routes)
    .filter(([, { responses }]) => responses[200] === pageBody)
    .map(([operation, { method, path, allowsTrailingSlash }]) => ({
      operation,
      method,
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}${allowsTrailingSlash ? "/?" : ""}$`),
    })),
);
const opened = new Set<string>();

function noteOperation(response: Response): void {
  if (response.status() !== 200) return;
  const { pathname } = new URL(response.url());
  const found = pageOperations.filter(
    ({ method, pattern }) => response.request().method() === method && pattern.test(pathname),
  );
  for (const { operation } of found) opened.add(operation);
}

/** The page that is open in another language, as the server would show it to this browser. */
async function translate(tab: Page, locale: Locale): Promise<string> {
  const cookies = await tab.context().cookies(tab.url());
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const headers = { accept: "text/html", "accept-language": locale, cookie };
  return (await fetch(tab.url(), { headers })).text();
}

/**
 * Parts of a page that do not fit in some language, or are not translated. Exchanging the content costs less than
 * opening pages.
 */
async function findingsInLanguages(tab: Page): Promise<string[]> {
  const translations = await Promise.all(
    locales.map(async (locale) => [locale, await translate(tab, locale)] as const),
  );
  return tab.evaluate<string[]>(`(() => {
    const findings = [];
    const { body } = document;
    for (const [locale, source] of ${JSON.stringify(translations)}) {
      const { body, documentElement } = new DOMParser().parseFromString(source, "text/html");
      if (documentElement.lang !== locale) findings.push(documentElement.lang + " instead of " + locale);
      document.body = body;
      if (document.documentElement.scrollWidth > innerWidth) findings.push("scrolls sideways in " + locale);
    }
    document.body = body;
    return findings;
  })()`);
}

/** Elements that a keyboard reaches out of order: other than from top to bottom, or not at all. */
const keyboardFindings = (tab: Page) =>
  tab.evaluate<string[]>(`(() => {
    const findings = [];
    let topOfLast = 0;
    for (const element of document.querySelectorAll("a, button, input:not([type=hidden], [hidden]), select, textarea")) {
      const { top, bottom } = element.getBoundingClientRect();
      const name = element.id || element.textContent.trim();
      if (element.tabIndex !== 0) findings.push(name + " is not reached in the order of the page");
      if (bottom <= topOfLast) findings.push(name + " comes after what is below it");
      topOfLast = top;
    }
    return findings;
  })()`);

/** Faults that nobody should meet on a page. */
async function findingsOn(tab: Page): Promise<string[]> {
  const findings: string[] = [];
  for (const width of usualWidths.toReversed()) {
    await tab.setViewportSize({ width, height: 800 });
    findings.push(...(await barriersOn(tab)), ...(await keyboardFindings(tab)));
  }
  findings.push(...(await axeFindings(tab, { coloursIn: "light" })));
  return findings;
}

describe.skipIf(!hasBrowser)("every page", inBrowser, () => {
  it.for(Object.entries(pageWalks))("has no barriers: %s", async ([, walk], { newTab }) => {
    const tab = await newTab({
      javaScriptEnabled: true,
      extraHTTPHeaders: { "accept-language": "en" },
    });
    // Only an opened page has other languages: the answer to a form has no address.
    let isForm = false;
    tab.on("response", (response) => {
      noteOperation(response);
      const request = response.request();
      if (request.isNavigationRequest() && response.status() !== 204) isForm = request.method() === "POST";
    });
    const found: Record<string, string[]> = {};
    await walk({
      tab,
      open: async (path) => {
        await tab.goto(URL.canParse(path) ? path : sharedStack().publicUrl + path);
      },
      press: (name) => follow(tab.getByRole("button", { name, exact: true })),
      look: async (name) => {
        await takePictures(tab, name);
        const findings = await findingsOn(tab);
        if (!isForm) findings.push(...(await findingsInLanguages(tab)));
        if (findings.length > 0) found[name] = findings;
      },
    });
    expect(found).toEqual({});
  });

  it("is visited by a walk", () => {
    const missing = pageOperations.map(({ operation }) => operation).filter((name) => !opened.has(name));
    expect(missing).toEqual([]);
  });
});
