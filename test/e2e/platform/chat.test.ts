import { request } from "node:http";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChatServer, startChat } from "#lib/local/chat/chat-server.ts";
import { Api } from "../../../examples/chat/api.ts";
import { EventStream } from "../../../examples/chat/events.ts";
import { axeFindings, browserTest, hasBrowser, inBrowser, takePictures } from "../../support/browser.ts";
import { beginEffects } from "../../support/effects.ts";
import { eventually } from "../../support/eventually.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { registeredUser } from "../../support/users.ts";

/** The example of a client, as `npm start` serves it. */

let chat: ChatServer;
beforeAll(async () => {
  const { publicUrl, consoleUrl, messages } = sharedStack();
  chat = await startChat({ publicUrl, consoleUrl, messages, port: 0 });
});
afterAll(() => chat.stop());

const messagesIn = (tab: Page) => tab.getByRole("log", { name: "Messages" });
const seen = (tab: Page) => tab.getByRole("region", { name: "What the service saw" });

async function write(tab: Page, text: string): Promise<void> {
  await tab.getByLabel("Message", { exact: true }).fill(text);
  await tab.keyboard.press("Enter");
}

const read = (tab: Page, text: string) => messagesIn(tab).getByText(text, { exact: true }).waitFor();

/** Open the window behind a link of the start page. */
async function openWindow(context: BrowserContext, start: Page, name: string): Promise<Page> {
  const [tab] = await Promise.all([
    context.waitForEvent("page"),
    start.getByRole("link", { name: `${name}’s window` }).click(),
  ]);
  return tab;
}

async function expectNoBarriers(tab: Page): Promise<void> {
  for (const width of [1280, 375]) {
    await tab.setViewportSize({ width, height: 800 });
    expect([width, ...(await axeFindings(tab))]).toEqual([width]);
    expect(await tab.evaluate("document.documentElement.scrollWidth")).toBe(width);
  }
}

it("the chat reads all that is kept when its last notification no longer is", async () => {
  const { email, password } = await registeredUser();
  await beginEffects();
  const api = new Api(sharedStack().publicUrl, () => undefined);
  await api.logIn(email, password);
  api.clientId = "1234";
  const types: string[] = [];
  const events = new EventStream(api, {
    last: () => "0e3e3b3a-6f6b-11f0-8000-0000000000ff",
    handle: async ({ payload }) => void types.push(...payload.map(({ type }) => type)),
    connected: () => undefined,
  });
  await eventually(async () => {
    await events.catchUp();
    expect(types).toEqual(["user.activate"]);
  });
});

describe.skipIf(!hasBrowser)("the chat", inBrowser, () => {
  browserTest(
    "lets people write, send files and call, while the service sees only ciphertext",
    async ({ newTab }) => {
      await beginEffects();
      const start = await newTab({ javaScriptEnabled: true, viewport: { width: 1280, height: 800 } });
      const context = start.context();
      await start.goto(chat.url);
      await start.getByRole("link", { name: "Ben’s window" }).waitFor();
      await expectNoBarriers(start);
      await takePictures(start, "chat-start");

      const ada = await openWindow(context, start, "Ada");
      const ben = await openWindow(context, start, "Ben");
      await ada.getByRole("heading", { name: "Ben", exact: true }).waitFor();
      await write(ada, "Is this <b>private</b>?");
      await read(ben, "Is this <b>private</b>?");
      await messagesIn(ada).getByText("read by Ben").waitFor();
      await ben.getByLabel("Message", { exact: true }).fill("Only we can");
      await ada.getByText("Ben typing …").waitFor();
      await write(ben, "Only we can read it 🎈");
      await read(ada, "Only we can read it 🎈");

      const secret = "a plan that nobody else may read";
      await ben
        .getByLabel("Send a file")
        .setInputFiles({ name: "plan.txt", mimeType: "text/plain", buffer: Buffer.from(secret) });
      await ben.getByRole("button", { name: "Send", exact: true }).click();
      await ada.getByRole("button", { name: "Open plan.txt" }).click();
      const [download] = await Promise.all([
        ada.waitForEvent("download"),
        ada.getByRole("link", { name: "Save plan.txt" }).click(),
      ]);
      const saved = await (await download.createReadStream()).toArray();
      expect(Buffer.concat(saved).toString()).toBe(secret);

      await ada.getByRole("button", { name: "Call" }).click();
      await ben.getByRole("button", { name: "Accept" }).click();
      await ada.getByText("In a call with Ben").waitFor();
      await expectNoBarriers(ada);
      await takePictures(ada, "chat-window");
      await ben.getByRole("button", { name: "Hang up" }).click();
      await ada.getByRole("button", { name: "Call" }).waitFor();

      const shown = await seen(ada).innerText();
      for (const what of ["POST /v9/mls/commit-bundles", "conversation.mls-message-add", "ciphertext, "])
        expect(shown).toContain(what);
      expect(await seen(ben).innerText()).toContain("encrypted file, ");
      for (const text of ["private", "Only we", secret]) expect(shown).not.toContain(text);
    },
  );

  browserTest("keeps its keys when it is reloaded, and joins groups", async ({ complaints, newTab }) => {
    await beginEffects();
    const tab = await newTab({ javaScriptEnabled: true });
    const context = tab.context();
    const join = async (name: string) => {
      const page = await context.newPage();
      await page.goto(chat.url);
      await page.getByLabel("Or somebody else, called").fill(name);
      await page.getByRole("button", { name: "Open a window" }).click();
      await page.getByText("Connected", { exact: true }).waitFor();
      return page;
    };
    const [mia, noah, zoe] = await Promise.all([join("Mia Moon"), join("Noah Sun"), join("Zoe Star")]);
    for (const [name, other] of [
      ["Noah Sun", noah],
      ["Zoe Star", zoe],
    ] as const) {
      await mia.getByText("Find people", { exact: true }).click();
      await mia.getByLabel("Name or handle").fill(name.replace(" ", "-").toLowerCase());
      await mia.getByRole("button", { name: "Find", exact: true }).click();
      await mia.getByRole("button", { name: `Connect with ${name}` }).click();
      await mia.getByText("Find people", { exact: true }).click();
      await other.getByRole("button", { name: "Mia Moon wants to connect: accept" }).click();
      await mia.getByRole("listitem").getByRole("button", { name, exact: true }).waitFor();
    }
    await mia.getByText("New group", { exact: true }).click();
    await mia.getByLabel("Name of the group").fill("Sky");
    await mia.getByLabel("Noah Sun").check();
    await mia.getByLabel("Zoe Star").check();
    await mia.getByRole("button", { name: "Create group" }).click();
    await mia.getByRole("heading", { name: "Sky (you, " }).waitFor();
    await write(mia, "Before");
    await noah.getByRole("button", { name: "Sky (1 new)" }).click();
    await read(noah, "Before");
    await noah.close();
    await write(mia, "While you were away");
    const again = await join("Noah Sun");
    await again.getByRole("button", { name: "Sky (1 new)" }).click();
    await read(again, "Before");
    await read(again, "While you were away");
    await write(again, "Back again");
    for (const other of [mia, zoe]) {
      if (other === zoe) await zoe.getByRole("button", { name: /^Sky/ }).click();
      await read(other, "Back again");
    }
    await context.setOffline(true);
    await write(mia, "From a tunnel");
    await mia.getByRole("button", { name: "Send again" }).waitFor();
    await context.setOffline(false);
    for (const complaint of complaints.splice(0))
      expect(complaint).toMatch(/^net::ERR_INTERNET_DISCONNECTED: /);
    await mia.getByRole("button", { name: "Send again" }).click();
    await read(zoe, "From a tunnel");
    // Two windows would use the same keys twice.
    const second = await context.newPage();
    await second.goto(again.url());
    await second.getByText("This window is open already").waitFor();
  });
});

describe("the server of the chat", () => {
  const statusOf = (path: string, headers: Record<string, string>, method = "GET") =>
    new Promise((resolve) => {
      request(chat.url + path, { method, headers }, (response) => {
        resolve(response.resume().statusCode);
      }).end();
    });

  it("forwards nothing for pages of other sites, and answers under no other name", async () => {
    const cases: [number, string, Record<string, string>, string?][] = [
      [403, "/people/ada@chat.example/api/access", { origin: "https://evil.example" }, "POST"],
      [403, "/people/ada@chat.example/api/v9/self", { "sec-fetch-site": "same-site" }],
      [403, "/code?email=ada@chat.example", { "sec-fetch-site": "cross-site" }],
      [403, "/", { host: "evil.example" }],
      [403, "/", { "sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe" }],
      [200, "/", { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" }],
      [401, "/people/ada@chat.example/api/v9/self", { "sec-fetch-site": "same-origin" }],
      [405, "/people/ada@chat.example/api/v9/self", {}, "OPTIONS"],
      [404, "/people/ada@chat.example/api", {}],
    ];
    for (const [status, path, headers, method] of cases)
      expect([path, headers, await statusOf(path, headers, method)]).toEqual([path, headers, status]);
  });

  it("reveals no codes except those of the demonstration", async () => {
    expect(await statusOf("/code?email=ada@engines.example", {})).toBe(404);
  });
});
