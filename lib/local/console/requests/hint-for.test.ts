import { expect, test } from "vitest";
import { type LoggedRequest, payloadOf } from "../../gateway/request-log.ts";
import { hintFor } from "./hint-for.ts";

const none = payloadOf(undefined);

const refused = (
  url: string,
  headers: Record<string, string> = {},
  fields: Partial<LoggedRequest> = {},
): LoggedRequest => ({
  id: "1",
  at: "2026-11-27T08:00:00.000Z",
  api: "public",
  method: "POST",
  path: url.replace(/\?.*/, ""),
  status: 403,
  milliseconds: 1,
  functionName: "sessions",
  exchange: { url, headers, body: none, reply: undefined },
  ...fields,
});

test.for<[string, Record<string, string>, RegExp]>([
  ["/v9/access?client_id=1f", {}, /without the version/],
  ["/v9/access", { "sec-fetch-site": "same-site" }, /without the version/],
  ["/v9/access/logout", {}, /without the version/],
  ["/access", { "sec-fetch-site": "cross-site" }, /host name of the page/],
  ["/v9/access", { "sec-fetch-site": "cross-site" }, /host name of the page/],
  ["/access", { "sec-fetch-site": "same-site" }, /credentials: "include"/],
  ["/access", {}, /--plain-cookies/],
])("a 403 of %s with %j has a hint", ([url, headers, hint]) => {
  expect(hintFor(refused(url, headers))).toMatch(hint);
});

test("a refused socket has a hint, because clients cannot read the answer", () => {
  const { exchange, ...request } = refused("/v8/await", {}, { api: "sockets", status: 401 });
  expect(hintFor(request)).toMatch(/access token of a session/);
});

test("a page that calls the internal API gets a hint about the page that may", () => {
  const request = refused("/i/users", { "sec-fetch-site": "none" }, { api: "internal" });
  expect(hintFor(request)).toContain("npm run admin -- page");
});

test("a refused authorization request shows the address to which the app wanted to return", () => {
  const url = `/authorize?${new URLSearchParams({ redirect_uri: "http://127.0.0.1/\n" })}`;
  expect(hintFor(refused(url, {}, { status: 400 }))).toBe(
    'The app asked to return to "http://127.0.0.1/\\n".',
  );
});

test.for<[string, LoggedRequest]>([
  ["a cookie that came along", refused("/v9/access", { cookie: "zuid=1" })],
  ["what succeeded", refused("/v9/access", {}, { status: 200 })],
  ["other operations", refused("/v9/access/self/email")],
  ["an authorization request without an address", refused("/authorize", {}, { status: 400 })],
  ["programs at the internal API", refused("/i/users", {}, { api: "internal" })],
])("there is no hint for %s", ([, request]) => {
  expect(hintFor(request)).toBeUndefined();
});
