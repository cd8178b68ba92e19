import { describe, expect } from "vitest";
import { hasBrowser, inBrowser, browserTest as it } from "../../support/browser.ts";
import { eventually } from "../../support/eventually.ts";

const policy = `<meta http-equiv="content-security-policy" content="default-src 'self'; script-src 'unsafe-inline'">`;

describe.skipIf(!hasBrowser)("a tab", inBrowser, () => {
  it.for<[string, string, RegExp]>([
    ["what the page's policy forbids", `${policy}<style>p { color: red }</style>`, /^security: .*style-src/],
    ["a missing image", `<img src="missing.png">`, /^answered 404: .*missing\.png$/],
    ["a missing style sheet", `<link rel="stylesheet" href="missing.css">`, /^answered 404: .*missing\.css$/],
    ["an image of a server that is down", `<img src="http://127.0.0.1:9/">`, /^net::ERR_\w+: /],
    [
      "a page that fails",
      `<meta http-equiv="refresh" content="0; url=failing">`,
      /^answered 500: .*failing$/,
    ],
    ["an error of a script", `<script>missing()</script>`, /^thrown: missing is not defined$/],
    ["a rejected promise", `<script>Promise.reject(new Error("no"))</script>`, /^thrown: no$/],
    ["an error that a script reports", `<script>console.error("broken")</script>`, /^script: broken$/],
  ])("complains about %s", async ([, body, expected], { complaints, newSite, newTab }) => {
    const { origin } = await newSite(({ url }) => {
      if (url === "/") return { body: `<!doctype html><title>Page</title>${body}` };
      return { status: url === "/failing" ? 500 : 404 };
    });
    const tab = await newTab({ javaScriptEnabled: true });
    await tab.goto(origin);
    await eventually(() => expect(complaints).toEqual([expect.stringMatching(expected)]));
    complaints.length = 0;
  });

  it("does not complain about a refused page, a script's refused request, or a browser's advice", async ({
    newSite,
    newTab,
  }) => {
    const { origin } = await newSite(({ url }) => ({
      status: url === "/" ? 404 : 403,
      body: `<!doctype html><title>Page</title><form><input type="password"></form>`,
    }));
    const tab = await newTab({ javaScriptEnabled: true });
    await tab.goto(origin);
    await tab.evaluate(`fetch("refused")`);
  });
});
