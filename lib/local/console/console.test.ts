import { request } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseSettings } from "#shared/registry/settings.ts";
import { MessageStore } from "../emulators/message-store.ts";
import { type LocalServer, listen } from "../gateway/http-server.ts";
import { PostLog, toPost } from "../sockets/post-log.ts";
import { startConsole } from "./console.ts";
import type { DataSource } from "./data/data-pages.ts";

const stack = {
  publicUrl: "http://127.0.0.1:8080",
  internalUrl: "http://127.0.0.1:8081",
  settings: parseSettings({}),
  queueUrls: {} as DataSource["queueUrls"],
  tableName: (name: string) => name,
  prefix: "parley",
};
let messages: MessageStore;
let posts: PostLog;
let running: LocalServer;

beforeEach(async () => {
  messages = new MessageStore();
  posts = new PostLog();
  running = await startConsole({
    emulators: { environment: { AWS_REGION: "eu-central-1" }, messages },
    stack,
    posts,
    port: 0,
  });
});
afterEach(() => running.stop());

const addEmail = (to: string, html?: string) =>
  messages.add({ kind: "email", to, from: "a@b.example", text: "t", html, headers: { "X-Svc-Code": "1" } });

test.for(["?to=%2B4930123456", "?to=+4930123456", ""])("GET /messages%s finds an SMS", async (query) => {
  messages.add({ kind: "sms", to: "+4930123456", from: "", text: "code", headers: {} });
  const found = await (await fetch(`${running.url}/messages${query}`)).json();
  expect(found).toMatchObject([{ kind: "sms", to: "+4930123456", text: "code" }]);
});

test("an address matches in any case, including its suffix", async () => {
  addEmail("Anna+x@Example.com");
  addEmail("other@example.com");
  const found = await (await fetch(`${running.url}/messages?to=anna+x@example.com`)).json();
  expect(found).toMatchObject([{ to: "Anna+x@Example.com", headers: { "X-Svc-Code": "1" } }]);
});

test("the HTML of an email is served in a sandbox without scripts", async () => {
  const { id } = addEmail("a@b.example", "<script>1</script>");
  const response = await fetch(`${running.url}/messages/${id}/html`);
  const policy = response.headers.get("content-security-policy");
  expect(policy).toMatch(/^sandbox allow-popups/);
  expect(policy).not.toMatch(/allow-scripts|allow-same-origin|script-src/);
  expect(await response.text()).toContain("<script>1</script>");
});

test("a waiting request is answered as soon as a matching message arrives", async () => {
  const { url } = running;
  const waiting = fetch(`${url}/messages?to=late@example.com&wait=30`);
  // Once this is answered, the request above is waiting.
  expect(await (await fetch(`${url}/messages`)).json()).toEqual([]);
  messages.add({ kind: "sms", to: "other", from: "Parley", text: "no", headers: {} });
  messages.add({ kind: "email", to: "late@example.com", from: "Parley", text: "yes", headers: {} });
  expect(await (await waiting).json()).toMatchObject([{ text: "yes" }]);
  expect(await (await fetch(`${url}/messages?to=nobody&wait=0.01`)).json()).toEqual([]);
});

test("DELETE /messages removes all messages", async () => {
  addEmail("a@b.example");
  expect((await fetch(`${running.url}/messages`, { method: "DELETE" })).status).toBe(204);
  expect(messages.list()).toEqual([]);
});

test("the page loads nothing from elsewhere", async () => {
  const response = await fetch(`${running.url}/`);
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(await response.text()).toContain("<title>");
});

test("the page is told immediately of a new message or event", async () => {
  const stream = await fetch(`${running.url}/events`);
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  const { id } = addEmail("a@b.example");
  expect((await reader?.read())?.value).toMatch(new RegExp(`^event: message\ndata: .*${id}.*\n\n$`));
  posts.add(toPost('{"type":"x"}', { connectionId: "abc=", path: "/events", userId: undefined }));
  expect((await reader?.read())?.value).toMatch(/^event: post\ndata: .*abc=.*\n\n$/);
  await reader?.cancel();
});

test("frames posted to sockets are listed by type, and shown in full on demand", async () => {
  const socket = { connectionId: "abc=", path: "/await", userId: undefined };
  const payload = [{ type: "user.activate" }, { type: "team.update" }];
  const frames = [
    { id: "1", transient: false, payload },
    { type: "event", data: { event: { id: "1", payload }, delivery_tag: 1 } },
    { type: "notifications_missed" },
    "no frame",
  ].map((frame) => JSON.stringify(frame));
  for (const frame of frames) posts.add(toPost(frame, socket));
  const listed = (await (await fetch(`${running.url}/posts`)).json()) as { id: string; types: string[] }[];
  const bothTypes = ["user.activate", "team.update"];
  expect(listed.map(({ types }) => types)).toEqual([[], ["notifications_missed"], bothTypes, bothTypes]);
  expect(listed[3]).toMatchObject({ connectionId: "abc=", path: "/await", bytes: frames[0]?.length });
  expect(listed[3]).not.toHaveProperty("text");
  const whole = await fetch(`${running.url}/posts/${listed[3]?.id}`);
  expect(await whole.text()).toBe(frames[0]);
  expect((await fetch(`${running.url}/posts/unknown`)).status).toBe(404);
});

test("requests with other host names are refused with 403", async () => {
  const status = await new Promise((resolve) => {
    request(`${running.url}/messages`, { headers: { host: "evil.example" } }, (response) => {
      resolve(response.resume().statusCode);
    }).end();
  });
  expect(status).toBe(403);
});

/** Unlike `fetch`, with exactly these headers. */
const statusOf = (path: string, headers: Record<string, string>, method = "GET") =>
  new Promise((resolve) => {
    request(running.url + path, { method, headers }, (response) => {
      resolve(response.resume().statusCode);
    }).end();
  });

test("pages of other sites and of other ports can neither read nor change anything, but link here", async () => {
  const { host } = new URL(running.url);
  const cases: [number, string, Record<string, string>, string?][] = [
    [403, "/messages", { "sec-fetch-site": "cross-site", "sec-fetch-dest": "empty" }],
    [403, "/messages", { "sec-fetch-site": "same-site", "sec-fetch-dest": "document" }],
    [403, "/messages", { origin: "http://127.0.0.1:1" }, "DELETE"],
    [403, "/messages", { origin: "null" }, "DELETE"],
    [403, "/", { "sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe" }],
    [200, "/", { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" }],
    [200, "/messages", { "sec-fetch-site": "same-origin" }],
    [204, "/messages", { "sec-fetch-site": "same-origin", origin: `http://${host}` }, "DELETE"],
    [204, "/messages", {}, "DELETE"],
  ];
  for (const [status, path, headers, method] of cases)
    expect([path, headers, await statusOf(path, headers, method)]).toEqual([path, headers, status]);
});

test("GET /data-access tells how commands reach the data", async () => {
  const response = await fetch(`${running.url}/data-access`);
  expect(await response.json()).toMatchObject({
    environment: { AWS_REGION: "eu-central-1" },
    prefix: "parley",
    publicUrl: expect.stringMatching(/^http/),
    settings: { productName: expect.any(String) },
  });
});

test("a table has no page at an unknown cursor", async () => {
  const internal = await listen((_request, response) =>
    response.writeHead(400).end('{"label":"bad-request"}'),
  );
  const other = await startConsole({
    emulators: { environment: {}, messages },
    stack: { ...stack, internalUrl: internal.url },
    port: 0,
  });
  const response = await fetch(`${other.url}/data/users?start=forged`);
  expect([response.status, await response.text()]).toEqual([404, "Page not found"]);
  await Promise.all([other.stop(), internal.stop()]);
});
