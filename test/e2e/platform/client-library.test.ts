import { describe, expect, it, onTestFinished, vi } from "vitest";
import { browserTest, hasBrowser, inBrowser } from "../../support/browser.ts";
import { bundleForBrowser } from "../../support/bundle-for-browser.ts";
import { type WalkPlan, walk } from "../../support/client-walk.ts";
import { localDomain } from "../../support/connections.ts";
import { newDevice } from "../../support/devices.ts";
import { withEffects } from "../../support/effects.ts";
import { ownStack } from "../../support/own-stack.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { type Apis, activationCode, newEmail, somePassword } from "../../support/users.ts";

/** The public client library of the interface, as apps use it: of versions that it and the service have in common. */

const newPlan = ({ publicUrl }: { publicUrl: string }): WalkPlan => ({
  publicUrl,
  domain: localDomain,
  devices: {
    ada: newDevice({ cookie: "ada" }),
    ben: newDevice({ cookie: "ben" }),
    guest: newDevice({ cookie: "guest", type: "temporary" }),
  },
  emails: { ada: newEmail(), ben: newEmail() },
  password: somePassword,
});

/** The clients' observations when everything works. */
const expectedOf = ({ emails }: WalkPlan) => ({
  profiles: [
    { name: "Ada", email: emails.ada },
    { name: "Ben", email: emails.ben },
  ],
  wrongPassword: { label: "invalid-credentials" },
  created: "Engines",
  isListed: true,
  preview: "Engines",
  joined: ["guest"],
  incomplete: { status: 412 },
  missing: ["guest"],
  messages: [
    { from: "ada", to: "ben", text: "hello" },
    { from: "ada", to: "guest", text: "hello" },
    { from: "ada", to: "ben", text: "still there" },
    { from: "ada", to: "guest", text: "still there" },
  ],
  isFileWhole: true,
  left: { users: ["ben"], reason: "left" },
  // Each connects once.
  socketStates: [
    [0, 1],
    [0, 1],
    [0, 1],
  ],
  afterLogout: "invalid-credentials",
});

const codeIn = (apis?: Apis) => async (email: string) => (await activationCode({ email }, apis)).code;

describe("the client library in Node", () => {
  it.each([
    { frames: "text", sockets: "gateway" },
    { frames: "binary", sockets: "relay" },
  ] as const)("works for whole conversations, with $frames frames of a $sockets", async (options) => {
    const stack = await ownStack({}, options);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const passSeconds = async (seconds: number) => void vi.advanceTimersByTime(seconds * 1000);
    const plan = newPlan(stack);
    const done = await withEffects(() => walk(plan, { activationCode: codeIn(stack), passSeconds }));
    expect(done).toMatchObject(expectedOf(plan));
  });
});

describe.skipIf(!hasBrowser)("the client library in a browser", inBrowser, () => {
  browserTest("works for whole conversations, on a page of another origin", async ({ newTab, newSite }) => {
    const tab = await newTab({ javaScriptEnabled: true });
    let sockets = 0;
    const frames: (string | Buffer)[] = [];
    tab.on("websocket", (socket) => {
      sockets += 1;
      socket.on("framereceived", ({ payload }) => frames.push(payload));
    });
    await tab.clock.install();
    await tab.exposeFunction("activationCode", codeIn());
    await tab.exposeFunction("passSeconds", (seconds: number) => tab.clock.runFor(seconds * 1000));
    await tab.goto((await newSite()).origin);
    await tab.addScriptTag({ content: await bundleForBrowser("client-walk.ts") });

    const plan = newPlan(sharedStack());
    const script = `bundle.walk(${JSON.stringify(plan)}, { activationCode, passSeconds })`;
    // The library repeats blocked requests forever.
    const failure = Promise.race([
      tab.waitForEvent("requestfailed", { timeout: 0 }).then((request) => `${request.url()} has failed`),
      tab.waitForEvent("pageerror", { timeout: 0 }),
    ]);
    const done = await withEffects(() => Promise.race([tab.evaluate(script), failure]));
    expect(done).toMatchObject(expectedOf(plan));

    expect(sockets).toBe(3);
    expect(frames.filter((frame) => typeof frame === "string")).toEqual([]);
    const pongs = frames.filter((frame) => frame.toString() === "pong");
    expect(pongs.length).toBeGreaterThanOrEqual(3 * sockets);
    expect(await tab.context().cookies()).toEqual([]);
  });
});
