import { request } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startConsole } from "./console.ts";
import type { LocalServer } from "./http-server.ts";
import { MessageStore } from "./message-store.ts";

const stack = { publicUrl: "http://127.0.0.1:8080", internalUrl: "http://127.0.0.1:8081" };
let messages: MessageStore;
let running: LocalServer;

beforeEach(async () => {
  messages = new MessageStore();
  running = await startConsole({ emulators: { messages }, stack, port: 0 });
});
afterEach(() => running.stop());

const addEmail = (to: string, html?: string) =>
  messages.add({ kind: "email", to, from: "a@b.example", text: "t", html, headers: { "X-Svc-Code": "1" } });

test.for(["?to=%2B4930123456", "?to=+4930123456", ""])("messages are found by %s", async (query) => {
  messages.add({ kind: "sms", to: "+4930123456", from: "", text: "code", headers: {} });
  const found = await (await fetch(`${running.url}/messages${query}`)).json();
  expect(found).toMatchObject([{ kind: "sms", to: "+4930123456", text: "code" }]);
});

test("an address matches in any case, its suffix included", async () => {
  addEmail("Anna+x@Example.com");
  addEmail("other@example.com");
  const found = await (await fetch(`${running.url}/messages?to=anna+x@example.com`)).json();
  expect(found).toMatchObject([{ to: "Anna+x@Example.com", headers: { "X-Svc-Code": "1" } }]);
});

test("the HTML of a mail is served where it can run and load nothing", async () => {
  const { id } = addEmail("a@b.example", "<script>1</script>");
  const response = await fetch(`${running.url}/messages/${id}/html`);
  const policy = response.headers.get("content-security-policy");
  expect(policy).toMatch(/^sandbox allow-popups/);
  expect(policy).not.toMatch(/allow-scripts|allow-same-origin|script-src/);
  expect(await response.text()).toContain("<script>1</script>");
});

test("deleting forgets all messages", async () => {
  addEmail("a@b.example");
  expect((await fetch(`${running.url}/messages`, { method: "DELETE" })).status).toBe(204);
  expect(messages.list()).toEqual([]);
});

test("the page allows nothing from elsewhere", async () => {
  const response = await fetch(`${running.url}/`);
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(await response.text()).toContain("<title>");
});

test("a new message is told to the page at once", async () => {
  const stream = await fetch(`${running.url}/events`);
  const { id } = addEmail("a@b.example");
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  const { value } = (await reader?.read()) ?? {};
  expect(value).toMatch(new RegExp(`^event: message\ndata: .*${id}.*\n\n$`));
  await reader?.cancel();
});

test("other host names are refused", async () => {
  const status = await new Promise((resolve) => {
    request(`${running.url}/messages`, { headers: { host: "evil.example" } }, (response) => {
      resolve(response.resume().statusCode);
    }).end();
  });
  expect(status).toBe(403);
});
