import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { axeFindings, browserTest, hasBrowser, inBrowser, takePictures } from "../../support/browser.ts";
import { beginEffects } from "../../support/effects.ts";
import { sharedStack } from "../../support/shared-stack.ts";

const browserIt = browserTest.extend<{ chat: () => Promise<Page> }>({
  chat: ({ newTab }, use) =>
    use(async () => {
      await beginEffects();
      const tab = await newTab({ javaScriptEnabled: true, viewport: { width: 1280, height: 800 } });
      await tab.goto(`${sharedStack().consoleUrl}/chat`);
      return tab;
    }),
});

const textsOf = (tab: Page, name: string) => tab.getByRole("log", { name: `${name}'s messages` });
const seen = (tab: Page) => tab.getByRole("region", { name: "What the service saw" });

describe.skipIf(!hasBrowser).concurrent("the chat of the console", inBrowser, () => {
  browserIt("carries texts between two people, of which the service sees ciphertext", async ({ chat }) => {
    const tab = await chat();
    // By keyboard alone.
    await tab.getByRole("button", { name: "Start a chat" }).focus();
    await tab.keyboard.press("Enter");
    await tab.locator("#ada-input:focus").waitFor();
    const texts = [
      ["Ada", "Ben", "Is this <b>private</b>?"],
      ["Ben", "Ada", "Only we can read it 🎈"],
      ["Ada", "Ben", "Good"],
    ] as const;
    for (const [from, to, text] of texts) {
      await tab.getByLabel(`Write as ${from}`).focus();
      await tab.keyboard.insertText(text);
      await tab.keyboard.press("Enter");
      await textsOf(tab, to).getByText(text, { exact: true }).waitFor();
    }
    const shown = await seen(tab).innerText();
    for (const what of ["POST /v9/mls/commit-bundles", "conversation.mls-welcome", "ciphertext, "])
      expect(shown).toContain(what);
    for (const [, , text] of texts) expect(shown).not.toContain(text);
    expect(await tab.context().cookies()).toEqual([]);
    expect(await tab.getByRole("alert").count()).toBe(0);
  });

  browserIt("has no barriers, in both widths, light and dark", async ({ chat }) => {
    const tab = await chat();
    const expectNoBarriers = async () => {
      for (const width of [1280, 375]) {
        await tab.setViewportSize({ width, height: 800 });
        expect([width, ...(await axeFindings(tab))]).toEqual([width]);
        expect(await tab.evaluate("document.documentElement.scrollWidth")).toBe(width);
      }
    };
    await expectNoBarriers();
    await takePictures(tab, "console-chat-start");
    await tab.getByRole("button", { name: "Start a chat" }).click();
    await tab.getByLabel("Write as Ada").fill("Hello");
    await tab.keyboard.press("Enter");
    await textsOf(tab, "Ben").getByText("Hello").waitFor();
    await expectNoBarriers();
    await takePictures(tab, "console-chat");
  });
});
