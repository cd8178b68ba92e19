import { spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LocalServer } from "#lib/local/gateway/http-server.ts";
import { internalOperations } from "../../../scripts/admin/api-documents.ts";
import { commands } from "../../../scripts/admin/commands.ts";
import { endpointOf } from "../../../scripts/admin/connect.ts";
import { servePage } from "../../../scripts/admin/page/serve-page.ts";
import {
  axeFindings,
  barriersOn,
  browserTest,
  follow,
  hasBrowser,
  inBrowser,
  takePictures,
} from "../../support/browser.ts";
import { eventually } from "../../support/eventually.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { newEmail, newUser } from "../../support/users.ts";

let stack: OwnStack;
const servers: LocalServer[] = [];
beforeAll(async () => {
  stack = await stackWith();
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
});

/** The page of `npm run admin -- page`, with all links that it has announced. */
async function newPage({ isProtected = false, isDryRun = false } = {}) {
  const target = { stage: undefined, url: stack.internalUrl };
  const links: string[] = [];
  const server = await servePage({
    ...target,
    endpoint: () => endpointOf(target),
    commands,
    operations: internalOperations(),
    port: 0,
    place: "this machine",
    isProtected,
    isDryRun,
    announce: (link) => links.push(link),
  });
  servers.push(server);
  return { url: server.url, links };
}

/** Address and cookie of a browser that has opened the page. */
async function opened(page?: Awaited<ReturnType<typeof newPage>>) {
  const { url, links } = page ?? (await newPage());
  const { status, headers } = await fetch(links.at(-1) ?? "", { redirect: "manual" });
  expect(status).toBe(303);
  const [setCookie = ""] = headers.getSetCookie();
  return { url, home: url + headers.get("location"), setCookie, cookie: setCookie.replace(/;.*/, "") };
}

describe.concurrent("the page for operators", () => {
  it("opens by each link once, and then for that browser only", async () => {
    const page = await newPage();
    const [first = ""] = page.links;
    expect(first).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/open\?token=[\w-]{32}$/);
    const { home, cookie, setCookie } = await opened(page);
    expect(setCookie).toMatch(/^parley-admin=[\w-]{32}; Path=\/[\w-]{32}\/; HttpOnly; SameSite=Strict$/);
    expect((await fetch(first)).status).toBe(403);
    expect(page.links).toHaveLength(2);
    expect((await fetch(home)).status).toBe(403);
    expect((await fetch(home, { headers: { cookie: "parley-admin=guess" } })).status).toBe(403);
    const answer = await fetch(home, { headers: { cookie } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const second = await opened(page);
    expect((await fetch(second.home, { headers: { cookie } })).status).toBe(200);
  });

  it.each([
    ["a request for another host, whose name leads to this machine", "GET", { host: "evil.example" }],
    ["a link on another site", "GET", { "sec-fetch-site": "cross-site" }],
    ["a page at another port of this machine", "GET", { "sec-fetch-site": "same-site" }],
    ["a form of another site", "POST", { origin: "https://evil.example" }],
    ["a form at another port of this machine", "POST", { origin: "http://127.0.0.1:1" }],
    ["a form without origin", "POST", {}],
    ["a form of a document without origin", "POST", { origin: "null" }],
    ["another method", "PUT", {}],
  ])("refuses %s, even with the cookie", async (_, method, headers) => {
    const { home, cookie } = await opened();
    // Unlike `fetch`, with exactly these headers.
    const [response] = await once(
      request(home, { method, headers: { cookie, ...headers } }).end(),
      "response",
    );
    expect(response.statusCode).toBe(403);
    response.resume();
  });

  it("runs commands only from its own forms, and from links only commands that read", async () => {
    const { url, home, cookie } = await opened();
    const { id } = await newUser({}, stack);
    const path = `${home}command?name=user+suspend`;
    const statusOf = async () => (await stack.internalApi("GET", `/i/users/${id}/status`)).body.status;
    const linked = await fetch(`${path}&field.user=${id}`, { headers: { cookie } });
    expect([linked.status, await statusOf()]).toEqual([200, "active"]);
    const send = (fields: Record<string, string>) =>
      fetch(path, { method: "POST", headers: { cookie, origin: url }, body: new URLSearchParams(fields) });
    const dry = await (await send({ "field.user": id, "dry-run": "yes" })).text();
    expect(dry).toContain("suspended");
    expect(dry).toContain(`npm run admin -- user suspend --url ${stack.internalUrl} --dry-run ${id}`);
    expect(await statusOf()).toBe("active");
    await send({ "field.user": id });
    expect(await statusOf()).toBe("suspended");
    expect(await (await send({ "field.user": "nobody@example.com" })).text()).toContain("There is no user");
    expect((await send({ "field.user": "x".repeat(2_000_000) })).status).toBe(413);
    expect((await fetch(`${home}command?name=page`, { headers: { cookie } })).status).toBe(404);
  });

  it("changes nothing when it was started for a dry run, and says when a command needs a stage", async () => {
    const { url, home, cookie } = await opened(await newPage({ isDryRun: true }));
    const { id } = await newUser({}, stack);
    const send = async (name: string, fields: Record<string, string>) => {
      const body = new URLSearchParams(fields);
      const target = `${home}command?${new URLSearchParams({ name })}`;
      return (await fetch(target, { method: "POST", headers: { cookie, origin: url }, body })).text();
    };
    expect(await send("user delete", { "field.user": id })).toContain("Result of the dry run");
    expect((await stack.internalApi("GET", `/i/users/${id}/status`)).body).toEqual({ status: "active" });
    expect(await send("policy", { "field.role": "auditor" })).toContain("add --stage NAME");
    expect(await send("policy", { "field.role": "king" })).toContain("ROLE is one of");
  });

  it("shows names before ids, so that narrow screens have them", async () => {
    const { home, cookie } = await opened();
    const user = await newUser({ name: "Zoe Quill" }, stack);
    const found = await fetch(`${home}command?name=user+find&field.user=quill`, { headers: { cookie } });
    const shown = await found.text();
    expect(shown).toContain('<tr><th scope="col">name</th><th scope="col">id</th>');
    expect(shown).toMatch(new RegExp(`<tr><td><a href="[^"]*${user.id}[^"]*">Zoe Quill</a></td>`));
  });

  it("is served by the command, until it is ended", async () => {
    const script = join(import.meta.dirname, "../../../scripts/admin.ts");
    const child = spawn(process.execPath, [script, "page", "--url", stack.internalUrl]);
    const [line] = await once(child.stderr, "data");
    const link = /http:\S+/.exec(String(line))?.[0] ?? "";
    expect((await fetch(link, { redirect: "manual" })).status).toBe(303);
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([null, "SIGINT"]);
  });

  it("escapes values chosen by users, and treats a text that begins with a dash as a value", async () => {
    const { url, home, cookie } = await opened();
    const { id } = await newUser({ name: `<img src=x onerror="alert(1)">` }, stack);
    const shown = await (
      await fetch(`${home}command?name=user+show&field.user=${id}`, { headers: { cookie } })
    ).text();
    expect(shown).toContain("&#60;img src=x");
    expect(shown).not.toContain("<img");
    const answer = await fetch(`${home}command?name=user+show`, {
      method: "POST",
      headers: { cookie, origin: url },
      body: new URLSearchParams({ "field.user": "--help 'me'" }),
    });
    expect(await answer.text()).toContain("not a handle");
  });
});

const browserIt = browserTest.extend<{ visit: () => Promise<Page> }>({
  visit: ({ newTab }, use) =>
    use(async () => {
      const tab = await newTab({
        javaScriptEnabled: true,
        viewport: { width: 1280, height: 740 },
        permissions: ["clipboard-read", "clipboard-write"],
      });
      await tab.goto((await newPage({ isProtected: true })).links.at(-1) ?? "");
      return tab;
    }),
});

const heading = (tab: Page) => tab.getByRole("heading", { level: 1 }).textContent();
const outcome = (tab: Page) => tab.getByRole("region", { name: "Result" });

describe.skipIf(!hasBrowser).concurrent("the page for operators in a browser", inBrowser, () => {
  browserIt("finds a user, whose id leads to the user's state", async ({ visit }) => {
    const [tab, { id, email }, team] = await Promise.all([visit(), newUser({}, stack), newTeam({}, stack)]);
    await tab.getByLabel("Address, handle").fill(email);
    await follow(tab.getByRole("button", { name: "Find" }));
    await tab.waitForURL(/user\+show/);
    expect(await heading(tab)).toBe("user show");
    expect(await outcome(tab).textContent()).toContain(email);
    expect(tab.url()).not.toContain("%40");

    await tab.getByRole("searchbox", { name: "Find a user or team" }).fill(team.id);
    await tab.keyboard.press("Enter");
    await tab.waitForURL(/team\+show/);
    await follow(outcome(tab).getByRole("link", { name: team.owner.id }));
    await tab.waitForURL(/user\+show/);
    expect(await outcome(tab).textContent()).toContain(team.owner.email);
    expect(id).not.toBe(team.owner.id);
  });

  browserIt("deletes a user by keyboard alone, after the name was repeated", async ({ visit }) => {
    const [tab, { id, email }] = await Promise.all([visit(), newUser({ name: "Ada" }, stack)]);
    const statusOf = async () => (await stack.internalApi("GET", `/i/users/${id}/status`)).body.status;
    const press = (key: string) => tab.keyboard.press(key);
    const focused = () =>
      tab.evaluate<string>("(document.activeElement.labels?.[0] ?? document.activeElement).textContent");
    const tabTo = async (text: string) => {
      for (let count = 0; count < 400 && !(await focused()).startsWith(text); count += 1) await press("Tab");
      expect(await focused()).toContain(text);
    };
    await eventually(async () => expect(await focused()).toContain("Address, handle"));
    await tab.keyboard.type(email);
    await press("Enter");
    await tab.waitForURL(/user\+show/);
    await press("Tab");
    expect(await focused()).toBe("Skip to content");
    await press("Enter");
    await tabTo("user delete");
    await press("Enter");
    await tab.waitForURL(/user\+delete/);
    await press("Tab");
    await press("Enter");
    await tabTo("Run");
    await press("Enter");
    await tab.getByLabel("This cannot be undone").waitFor();
    await eventually(async () => expect(await focused()).toContain("“Ada”"));
    await tab.keyboard.type("Bob");
    await press("Enter");
    await tab.getByRole("alert").waitFor();
    expect(await statusOf()).toBe("active");
    await eventually(async () => expect(await focused()).toContain("“Ada”"));
    await tab.keyboard.type("Ada");
    await press("Enter");
    await outcome(tab).waitFor();
    expect(await outcome(tab).textContent()).toContain("Done.");
    expect(await statusOf()).toBe("deleted");
  });

  browserIt("finds an operation by words, calls it, and copies the command line", async ({ visit }) => {
    const tab = await visit();
    await tab.getByLabel("Filter commands").fill("approve app");
    await tab.locator("#filter-count").getByText("1 found", { exact: true }).waitFor();
    await follow(tab.getByRole("link", { name: "i-create-oauth-client" }));
    await tab.getByLabel("application_name").fill("Ada's calendar");
    await tab
      .getByRole("textbox", { name: "redirect_url", exact: true })
      .fill("https://app.example.com/callback");
    await follow(tab.getByRole("button", { name: "Run" }));
    expect(await outcome(tab).textContent()).toContain("client secret");
    await tab.getByRole("button", { name: "Copy" }).click();
    await tab.getByRole("button", { name: "Copied" }).waitFor();
    expect(await tab.evaluate("navigator.clipboard.readText()")).toBe(
      `npm run admin -- call --url ${stack.internalUrl} i-create-oauth-client 'application_name=Ada'\\''s calendar' redirect_url=https://app.example.com/callback`,
    );
    await tab.getByRole("textbox", { name: "redirect_url", exact: true }).fill("not a URL");
    await follow(tab.getByRole("button", { name: "Run" }));
    await tab.getByRole("alert").waitFor();
  });

  browserIt("has no barriers in both widths, in light and dark mode", async ({ visit }) => {
    const [tab, { owner, id: team, add }] = await Promise.all([visit(), newTeam({}, stack)]);
    const member = await add();
    const home = tab.url();
    const blocked = new URLSearchParams({ email: newEmail() });
    expect((await stack.internalApi("POST", `/i/users/blacklist?${blocked}`)).status).toBe(200);
    const findings = async (known = "#menu") => {
      const found: string[] = [];
      for (const width of [1280, 375]) {
        await tab.setViewportSize({ width, height: 740 });
        const coloursIn = width > 400 ? "light" : "none";
        found.push(...(await axeFindings(tab, { known, coloursIn })), ...(await barriersOn(tab)));
      }
      return found;
    };
    const paths = [
      "",
      `command?name=user+show&field.user=${owner.id}`,
      `command?name=team+show&field.team=${team}`,
      "command?name=blocked+list&field.limit=10",
      `operation?id=i-put-user-status&field.uid=${owner.id}`,
      "command?name=user+show&field.user=nobody@example.com",
      "command?name=export",
      "command?name=team+features+set",
    ];
    for (const path of paths) {
      await tab.goto(home + path);
      const known = path === "" ? "#menu li:nth-child(n + 10)" : undefined;
      expect([path, ...(await findings(known))]).toEqual([path]);
      await takePictures(tab, `admin-${path.replaceAll(/[^a-z]+/g, "-").slice(0, 24)}`);
    }
    await tab.goto(`${home}command?name=user+delete&field.user=${member.id}`);
    await follow(tab.getByRole("button", { name: "Run" }));
    await tab.getByLabel("This cannot be undone").waitFor();
    expect(await findings()).toEqual([]);
    await tab.getByRole("button", { name: "Commands" }).click();
    expect(await axeFindings(tab)).toEqual([]);
    await tab.keyboard.press("Escape");
    await tab.getByRole("navigation", { name: "Commands" }).waitFor({ state: "hidden" });
  });
});
