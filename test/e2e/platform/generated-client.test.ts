import { describe, expect } from "vitest";
import { browserTest, hasBrowser, inBrowser } from "../../support/browser.ts";
import { bundleForBrowser } from "../../support/bundle-for-browser.ts";
import type { GeneratedClientPlan } from "../../support/generated-client-walk.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { newUser } from "../../support/users.ts";

describe.skipIf(!hasBrowser)("openapi-fetch on a page of another port", inBrowser, () => {
  browserTest.for(["127.0.0.1", "localhost"])(
    "stays logged in by /access without a version, at %s",
    async (host, { newTab, newSite }) => {
      const { id, email, password } = await newUser();
      const tab = await newTab({ javaScriptEnabled: true });
      await tab.goto((await newSite(undefined, { host })).origin);
      await tab.addScriptTag({ content: await bundleForBrowser("generated-client-walk.ts") });
      const publicUrl = sharedStack().publicUrl.replace("127.0.0.1", host);
      const plan: GeneratedClientPlan = { publicUrl, email, password };

      expect(await tab.evaluate(`bundle.walk(${JSON.stringify(plan)})`)).toEqual({
        login: 200,
        versioned: 403,
        refreshed: 200,
        self: id,
        logout: 200,
        afterLogout: 403,
      });
      expect(await tab.context().cookies()).toEqual([]);
    },
  );

  browserTest(
    "loses its login where the page has another host name than the API",
    async ({ newTab, newSite }) => {
      const { email, password } = await newUser();
      const tab = await newTab({ javaScriptEnabled: true });
      await tab.goto((await newSite(undefined, { host: "localhost" })).origin);
      await tab.addScriptTag({ content: await bundleForBrowser("generated-client-walk.ts") });
      const plan: GeneratedClientPlan = { publicUrl: sharedStack().publicUrl, email, password };

      expect(await tab.evaluate(`bundle.walk(${JSON.stringify(plan)})`)).toMatchObject({
        login: 200,
        refreshed: 403,
      });
    },
  );
});
