import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startConsole } from "#lib/local/console/console.ts";
import { traceCalls } from "#lib/local/console/requests/trace-calls.ts";
import { tracedLevel, traceLines } from "#lib/local/console/requests/trace-lines.ts";
import { TraceLog } from "#lib/local/console/requests/trace-log.ts";
import type { RequestDetail, RequestSummary } from "#lib/local/console/wire.ts";
import { MessageStore } from "#lib/local/emulators/message-store.ts";
import type { LocalServer } from "#lib/local/gateway/http-server.ts";
import { RequestLog } from "#lib/local/gateway/request-log.ts";
import { PostLog, toPost } from "#lib/local/sockets/post-log.ts";
import { axeFindings, browserTest, hasBrowser, inBrowser, takePictures } from "../../support/browser.ts";
import { eventually } from "../../support/eventually.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { newTeam } from "../../support/teams.ts";
import { newEmail, newUser, register, somePassword } from "../../support/users.ts";

let stack: OwnStack;
let served: LocalServer;
const ends: (() => void)[] = [];
beforeAll(async () => {
  const requests = new RequestLog();
  const traces = new TraceLog();
  const posts = new PostLog();
  const messages = new MessageStore();
  const printed = "CRITICAL";
  ends.push(traceLines(traces, printed), traceCalls(traces));
  stack = await ownStack(
    {},
    { logLevel: tracedLevel(printed), onRequest: (request) => requests.add(request) },
  );
  served = await startConsole({
    emulators: { environment: {}, messages },
    stack,
    requests,
    traces,
    posts,
    port: 0,
  });
  messages.add({ kind: "sms", to: "+49170", from: "", text: "Your code is 123456", headers: {} });
  posts.add(toPost('{"type":"x"}', { connectionId: "abc=", path: "/events", userId: undefined }));
});
afterAll(async () => {
  for (const end of ends) end();
  await served.stop();
});

const read = async (path: string, init?: RequestInit) => (await fetch(served.url + path, init)).json();

/** The newest request with this path, once it is listed: that may be shortly after its answer. */
async function newestOf(path: string): Promise<RequestDetail> {
  const { id } = await eventually(async () => {
    const listed = (await read("/requests")) as RequestSummary[];
    const found = listed.find((request) => request.path === path);
    if (found === undefined) throw new Error(`There is no request of ${path}`);
    return found;
  });
  return (await read(`/requests/${id}`)) as RequestDetail;
}

/** Makes a request that can be recognised by its path. */
async function visitProfile(): Promise<string> {
  const [{ token }, { id }] = await Promise.all([newUser({}, stack), newUser({}, stack)]);
  const path = `/v9/users/parley.localhost/${id}`;
  await stack.publicApi("GET", path, { token });
  return path;
}

describe("the requests of the console", () => {
  it("show what a request has caused, without its secrets", async () => {
    const email = newEmail();
    await register({ email, password: somePassword }, stack);
    const detail = await newestOf("/register");
    expect(detail).toMatchObject({
      operation: "register",
      status: 201,
      caller: "nobody",
      canBeRepeated: true,
    });
    expect(detail.requestBody?.text).toContain(email);
    expect(detail.calls.map(({ action }) => action)).toContain("TransactWriteItems");
    expect(detail.calls.every(({ milliseconds }) => milliseconds > 0)).toBe(true);
    expect(detail.messages.map(({ queue }) => queue)).toContain("mail");
    expect(detail.lines.join("\n")).toContain('"operation":"register"');
    expect(JSON.stringify(detail)).not.toContain(somePassword);
  });

  it("name caller and label, and are repeated as they came", async () => {
    const { id, token } = await newUser({}, stack);
    const path = "/v9/self/handle";
    await stack.publicApi("PUT", path, { token, json: { handle: "#" } });
    const detail = await newestOf(path);
    expect(detail).toMatchObject({ status: 400, label: "invalid-handle", caller: `user ${id}` });
    expect(JSON.stringify(detail)).not.toContain(token);
    const repeated = (await read(`/requests/${detail.id}/repeat`, { method: "POST" })) as { id: string };
    expect(repeated).toEqual({ id: expect.any(String), status: 400 });
    await eventually(async () => expect((await newestOf(path)).id).toBe(repeated.id));
    expect(repeated.id).not.toBe(detail.id);
    expect((await fetch(`${served.url}/requests/unknown`)).status).toBe(404);
    expect((await fetch(`${served.url}/requests/unknown/repeat`, { method: "POST" })).status).toBe(404);
  });
});

const browserIt = browserTest.extend<{ visit: (hash: string) => Promise<Page> }>({
  visit: ({ newTab }, use) =>
    use(async (hash) => {
      const tab = await newTab({ javaScriptEnabled: true, viewport: { width: 1280, height: 800 } });
      await tab.goto(`${served.url}/#/${hash}`);
      return tab;
    }),
});

describe.skipIf(!hasBrowser)("the console in a browser", inBrowser, () => {
  browserIt("opens and repeats a request by keyboard alone", async ({ visit }) => {
    const path = await visitProfile();
    const tab = await visit("requests");
    const link = tab.getByRole("link", { name: path });
    await link.waitFor();
    for (let count = 0; count < 60; count += 1) {
      if (await tab.evaluate<boolean>(`document.activeElement.textContent === ${JSON.stringify(path)}`))
        break;
      await tab.keyboard.press("Tab");
    }
    await tab.keyboard.press("Enter");
    await tab.getByRole("heading", { name: `GET ${path}` }).waitFor();
    await tab.getByRole("table").first().getByText("GetItem").first().waitFor();
    await tab.getByRole("button", { name: "Repeat" }).focus();
    await tab.keyboard.press("Enter");
    await tab.getByText("Answered 200").waitFor();
    const first = tab.url();
    await tab.getByRole("link", { name: "open it" }).focus();
    await tab.keyboard.press("Enter");
    await tab.getByRole("heading", { name: `GET ${path}` }).waitFor();
    await tab.waitForURL((url) => url.href !== first);
  });

  browserIt("shows users, teams, queues, parked messages and settings", async ({ visit }) => {
    const team = await newTeam({}, stack);
    const tab = await visit("users");
    await tab.getByRole("cell", { name: team.owner.email }).waitFor();
    await tab.getByRole("link", { name: "Teams" }).click();
    await tab.getByRole("cell", { name: team.id }).waitFor();
    await tab.getByRole("link", { name: "Queues" }).click();
    await tab.getByRole("cell", { name: "bot-events", exact: true }).waitFor();
    await tab.getByRole("link", { name: "Parked" }).click();
    await tab.getByText("Nothing is parked").waitFor();
    await tab.getByRole("link", { name: "Settings" }).click();
    await tab.getByRole("cell", { name: "setEnableMLS" }).waitFor();
  });

  browserIt(
    "begins with an overview, and leads from there to what requests and events name",
    async ({ visit }) => {
      const team = await newTeam({}, stack);
      await stack.publicApi("GET", `/v9/teams/${team.id}/members/${team.owner.id}`, {});
      const path = `/v9/teams/${team.id}/members/${team.owner.id}`;
      await newestOf(path);
      const tab = await visit("");
      await tab.getByRole("link", { name: `GET ${path}` }).click();
      await tab.getByRole("heading", { name: `GET ${path}` }).waitFor();
      await tab.locator("#request-detail").getByRole("link", { name: "team" }).click();
      await tab.locator("#data-content td").getByRole("link").click();
      await tab.getByRole("heading", { name: "Ada", exact: true }).waitFor();
      await tab.getByRole("link", { name: "Users", exact: true }).click();
      await tab.getByLabel("Id, e-mail address or handle").fill(team.owner.email);
      await tab.keyboard.press("Enter");
      await tab.getByRole("heading", { name: "Ada", exact: true }).waitFor();
      await tab.evaluate("location.hash = '#/conversations/none'");
      await tab.getByText("It does not exist, or no longer.").waitFor();
    },
  );

  browserIt("filters requests, and hides those that it sends itself", async ({ visit }) => {
    const path = await visitProfile();
    const tab = await visit("users");
    await tab.getByRole("cell").first().waitFor();
    await tab.getByRole("link", { name: "Requests" }).click();
    const rows = tab.locator("#request-list tr:visible");
    await tab.getByLabel("Filter requests").fill(path);
    await tab.getByRole("link", { name: path, exact: true }).waitFor();
    expect(await rows.count()).toBe(1);
    await tab.getByLabel("Refused only").check();
    await tab.getByText("No request matches the filter.").waitFor();
    await tab.getByLabel("Refused only").uncheck();
    await tab.getByLabel("Filter requests").fill("/i/users/list");
    await tab.getByText("No request matches the filter.").waitFor();
  });

  browserIt("has no barriers in both widths, in light and dark mode", async ({ visit }) => {
    const path = await visitProfile();
    const { id } = await newestOf(path);
    const tab = await visit("messages");
    const team = await newTeam({}, stack);
    const json = { name: "Sky", qualified_users: [] };
    const { token } = team.owner;
    const { body } = await stack.publicApi("POST", "/v9/conversations", { token, json });
    const views: Record<string, string> = {
      "": "#overview-refused a",
      [`users/${team.owner.id}`]: "#data-content dd",
      [`teams/${team.id}`]: "#data-content td",
      [`conversations/${body.qualified_id.id}`]: "#data-content td",
      messages: "#message-list a",
      events: "#event-list tr",
      requests: "#request-list tr",
      [`requests/${id}`]: "#request-detail h3",
      ...Object.fromEntries(
        ["users", "teams", "queues", "settings"].map((name) => [name, "#data-content td"]),
      ),
      parked: "#data-content .empty",
    };
    await stack.publicApi("GET", "/v9/self", {});
    for (const [view, sign] of Object.entries(views)) {
      await tab.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`);
      await tab.locator(sign).first().waitFor();
      for (const width of [1280, 375]) {
        await tab.setViewportSize({ width, height: 800 });
        expect([view, width, ...(await axeFindings(tab))]).toEqual([view, width]);
        expect([view, await tab.evaluate("document.documentElement.scrollWidth")]).toEqual([view, width]);
      }
      await takePictures(tab, `console-${view.replace(/\/.*/, "-one") || "overview"}`);
    }
  });
});
