import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import type { Family } from "#shared/platform/manifest.ts";
import { startGateway } from "./gateway.ts";
import type { GatewayEvent } from "./gateway-event.ts";
import type { LocalServer } from "./http-server.ts";
import type { LoggedRequest } from "./request-log.ts";

const family: Family = {
  domain: "platform",
  name: "teams",
  summary: "",
  routes: {
    "get-team": {
      method: "GET",
      path: "/teams/{tid}",
      auth: "none",
      summary: "",
      responses: { 200: null },
      errors: [],
    },
    "delete-token": {
      method: "DELETE",
      audit: { none: "a test" },
      path: "/teams/tokens/{token}",
      takesRest: true,
      endsInSecret: true,
      auth: "none",
      summary: "",
      responses: { 200: null },
      errors: [],
    },
    "i-get-team": {
      method: "GET",
      path: "/i/teams/{tid}",
      auth: "internal",
      summary: "",
      responses: { 200: null },
      errors: [],
    },
  },
};

const running: LocalServer[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(running.splice(0).map((gateway) => gateway.stop()));
});

async function start(
  invoke: (functionName: string, event: GatewayEvent) => unknown,
  {
    audience = "public" as "public" | "internal",
    corsAllowedOrigins = [] as string[],
    entranceSecret = undefined as string | undefined,
    hasPlainCookies = false,
  } = {},
) {
  const requests: LoggedRequest[] = [];
  const gateway = await startGateway({
    audience,
    families: [family],
    port: 0,
    corsAllowedOrigins,
    hasPlainCookies,
    ...(entranceSecret !== undefined && { entranceSecret }),
    clock: () => Date.UTC(2026, 1, 5, 7, 8, 9),
    invoke: async (functionName, event) => invoke(functionName, event),
    onRequest: (logged) => requests.push(logged),
  });
  running.push(gateway);
  return { url: gateway.url, port: Number(new URL(gateway.url).port), requests };
}

/** Starts a gateway whose function answers with the event that it receives. */
const startEcho = (options?: Parameters<typeof start>[1]) =>
  start((functionName, event) => ({ functionName, event }), options);

async function echoed(url: string, init?: RequestInit) {
  const response = await fetch(url, init);
  return (await response.json()) as { functionName: string; event: GatewayEvent };
}

/** Sends text over a bare connection and returns the whole answer. */
async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.end(text);
  let answer = "";
  for await (const chunk of socket) answer += chunk;
  return answer;
}

test("an event contains the request as an HTTP API passes it on", async () => {
  const { url } = await startEcho();
  const { functionName, event } = await echoed(`${url}/v8/teams/a%20b+c?x=1&x=2&y=%20z`, {
    headers: { Cookie: "a=1; b=2", "X-Many": "one", "User-Agent": "tester" },
  });
  expect(functionName).toBe("teams");
  expect(event).toMatchObject({
    version: "2.0",
    rawPath: "/v8/teams/a b+c",
    pathParameters: { proxy: "a b+c" },
    rawQueryString: "x=1&x=2&y=%20z",
    cookies: ["a=1", "b=2"],
    queryStringParameters: { x: "1,2", y: " z" },
    headers: { "x-many": "one", "x-forwarded-for": "127.0.0.1" },
    requestContext: {
      stage: "$default",
      time: "05/Feb/2026:07:08:09 +0000",
      timeEpoch: Date.UTC(2026, 1, 5, 7, 8, 9),
      http: { method: "GET", path: "/v8/teams/a b+c", sourceIp: "127.0.0.1", userAgent: "tester" },
    },
    isBase64Encoded: false,
  });
  expect(event.headers).not.toHaveProperty("cookie");
  expect(event).not.toHaveProperty("body");
  expect(event.requestContext).not.toHaveProperty("authorizer");
});

test("the log omits the secret in a path, but the function gets it", async () => {
  const { url, requests } = await startEcho();
  const { event } = await echoed(`${url}/v8/teams/tokens/a/secret`, { method: "DELETE" });
  expect(event.rawPath).toBe("/v8/teams/tokens/a/secret");
  await vi.waitFor(() => expect(requests).toHaveLength(1));
  expect(requests[0]?.path).toBe("/v8/teams/tokens/{token}");
});

test("behind an entrance, an event has the path as sent and the client's address, even if the client claims others", async () => {
  const { url } = await startEcho({ entranceSecret: "secret" });
  const forged = {
    "X-Entrance-Secret": "forged",
    "X-Entrance-Path": "/i/users",
    "X-Entrance-Viewer": "192.0.2.1",
  };
  const { event } = await echoed(`${url}/v8/teams/a%2Fb%3F%25`, { headers: forged });
  expect(event).toMatchObject({
    rawPath: "/v8/teams/a_2Fb_3F_25",
    headers: {
      "x-entrance-secret": "secret",
      "x-entrance-path": "/v8/teams/a%2Fb%3F%25",
      "x-entrance-viewer": "127.0.0.1",
    },
  });
  const plain = await echoed(`${url}/v8/team%73/%61`, { headers: forged });
  expect(plain.event.rawPath).toBe("/v8/teams/a");
  expect(plain.event.headers).not.toHaveProperty("x-entrance-path");
});

test("repeated headers are joined by commas", async () => {
  const { port } = await startEcho();
  const answer = await exchange(
    port,
    "GET /teams/1 HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nx-a: 2\r\nConnection: close\r\n\r\n",
  );
  expect(answer).toContain('"x-a":"1,2"');
});

test("no page in a browser reaches the internal API", async () => {
  const { url } = await startEcho({ audience: "internal" });
  const { port } = new URL(url);
  const marks: Record<string, string>[] = [
    { origin: "https://evil.example" },
    { "sec-fetch-site": "cross-site" },
  ];
  for (const headers of marks) {
    expect((await fetch(`${url}/i/teams/1`, { headers })).status).toBe(403);
  }
  const rebound = request({ port, path: "/i/teams/1", headers: { host: "evil.example" } }).end();
  const [response] = await once(rebound, "response");
  response.resume();
  expect(response.statusCode).toBe(403);
});

test("a browser reaches the document of the internal API, and nothing else there", async () => {
  const { url } = await startEcho({ audience: "internal" });
  const statusOf = async (path: string, init: RequestInit = {}) => {
    const headers = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" };
    return (await fetch(url + path, { headers, ...init })).status;
  };
  for (const path of ["/i/docs", "/i/docs/docs.js", "/i/openapi.json", "/i/docs?search=team"]) {
    expect([path, await statusOf(path)]).toEqual([path, 200]);
    expect([path, await statusOf(path, { method: "POST", headers: { origin: url } })]).toEqual([path, 403]);
  }
  for (const path of [
    "/i/docs/../users",
    "/i/docs/%2e%2e",
    "/i/docs/a/b",
    "/i/docsx",
    "/i/status",
    "/self",
  ]) {
    expect([path, await statusOf(path)]).toEqual([path, 403]);
  }
  const { port } = new URL(url);
  const rebound = request({ port, path: "/i/docs", headers: { host: "evil.example" } }).end();
  const [response] = await once(rebound, "response");
  response.resume();
  expect(response.statusCode).toBe(403);
});

test("events of the internal API name an IAM principal", async () => {
  const internal = await startEcho({ audience: "internal" });
  const { event } = await echoed(`${internal.url}/i/teams/1`, { headers: { authorization: "any" } });
  expect(event.requestContext).toHaveProperty("authorizer.iam.userArn");
});

test.for([
  ["application/json", "{}", false],
  ["application/scim+json; charset=utf-8", "{}", false],
  ["text/plain", "ä", false],
  ["application/x-www-form-urlencoded", "a=1", true],
  ["application/octet-stream", "x", true],
])("a body of type %s arrives as text or in base64", async ([type, body, isBase64Encoded]) => {
  const { url } = await startEcho();
  const { event } = await echoed(`${url}/teams/1`, {
    method: "POST",
    headers: { "content-type": String(type) },
    body: String(body),
  });
  expect(event.isBase64Encoded).toBe(isBase64Encoded);
  expect(Buffer.from(event.body ?? "", isBase64Encoded ? "base64" : "utf8").toString()).toBe(body);
});

test.for(["application/json", "application/scim+json", "application/xml"])(
  "a body of type %s that is not UTF-8 arrives as it was sent",
  async (type) => {
    const { url } = await startEcho();
    const body = Buffer.from('{"name":"\xff"}', "latin1");
    const { event } = await echoed(`${url}/teams/1`, {
      method: "POST",
      headers: { "content-type": type },
      body,
    });
    expect(event).toMatchObject({ isBase64Encoded: true, body: body.toString("base64") });
  },
);

test("a compressed body of any type arrives in base64", async () => {
  const { url } = await startEcho();
  const headers = { "content-type": "application/json", "content-encoding": "gzip" };
  const { event } = await echoed(`${url}/teams/1`, { method: "POST", headers, body: "zip" });
  expect(event).toMatchObject({ isBase64Encoded: true, body: Buffer.from("zip").toString("base64") });
});

test("a result becomes the response: status, headers, cookies and decoded body", async () => {
  const { url } = await start(() => ({
    statusCode: 201,
    headers: { "Content-Type": "image/png", "X-Number": 5 },
    cookies: ["a=1; Secure", "b=2"],
    body: Buffer.from([1, 2, 255]).toString("base64"),
    isBase64Encoded: true,
  }));
  const response = await fetch(`${url}/teams/1`);
  expect(response.status).toBe(201);
  expect(response.headers.get("content-type")).toBe("image/png");
  expect(response.headers.get("x-number")).toBe("5");
  expect(response.headers.getSetCookie()).toEqual(["a=1; Secure", "b=2"]);
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array([1, 2, 255]));
});

test("cookies lose Secure for clients that come without TLS", async () => {
  const cookies = ["a=1; path=/access; HttpOnly; Secure", "b=2; Secure; SameSite=Lax", "c=Secure"];
  const { url } = await start(() => ({ statusCode: 200, cookies }), { hasPlainCookies: true });
  const { headers } = await fetch(`${url}/teams/1`);
  expect(headers.getSetCookie()).toEqual(["a=1; path=/access; HttpOnly", "b=2; SameSite=Lax", "c=Secure"]);
});

test("a result without a status becomes the body of a 200", async () => {
  const { url } = await start(() => ({ ok: true }));
  const response = await fetch(`${url}/teams/1`);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(await response.json()).toEqual({ ok: true });
});

test("HEAD returns 200 without a body", async () => {
  const { url } = await start(() => ({ statusCode: 200, body: "text" }));
  const response = await fetch(`${url}/teams/1`, { method: "HEAD" });
  expect(response.status).toBe(200);
  expect(await response.text()).toBe("");
});

test("methods without a route reach the function", async () => {
  const { port } = await startEcho();
  const answer = await exchange(port, "PROPFIND /teams/1 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  expect(answer).toContain('"method":"PROPFIND"');
});

test.for([
  ["throws", () => Promise.reject(new Error("expected by the test"))],
  ["returns a body that is not text", () => ({ statusCode: 200, body: { a: 1 } })],
  ["returns an invalid status", () => ({ statusCode: "abc" })],
  ["returns a header that HTTP forbids", () => ({ statusCode: 200, headers: { "x-a": "a\nb" } })],
] as const)("a function that %s is answered with 500", async ([, invoke]) => {
  const report = vi.spyOn(console, "error").mockReturnValue();
  const { url } = await start(invoke);
  const response = await fetch(`${url}/teams/1`);
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({ message: "Internal Server Error" });
  expect(report).toHaveBeenCalledOnce();
});

test("a body of more than 10 MB, or more than Lambda accepts, is refused with 413 once it is sent", async () => {
  const { url } = await startEcho();
  const post = async (size: number, type: string, content = "x") => {
    const headers = { "content-type": type };
    const body = content.repeat(size / content.length);
    const response = await fetch(`${url}/teams/1`, { method: "POST", headers, body });
    const answer = await response.json();
    if (!response.ok)
      expect(answer).toEqual({ code: 413, label: "request-too-large", message: expect.any(String) });
    return response.status;
  };
  const mebibyte = 1024 * 1024;
  // The event also has headers; quotes take two bytes in it, and bytes are in base64.
  expect(await post(6 * mebibyte - 4096, "application/json")).toBe(200);
  expect(await post(6 * mebibyte, "application/json")).toBe(413);
  expect(await post(3 * mebibyte - 4096, "application/json", '"')).toBe(200);
  expect(await post(3 * mebibyte, "application/json", '"')).toBe(413);
  expect(await post(4.5 * mebibyte - 4096, "application/x-protobuf")).toBe(200);
  expect(await post(4.5 * mebibyte, "application/x-protobuf")).toBe(413);
  expect(await post(11 * mebibyte, "application/json")).toBe(413);
  expect(await post(64 * mebibyte, "multipart/mixed")).toBe(413);
});

test("malformed targets are passed on or refused with 400", async () => {
  const { port } = await startEcho();
  const get = (target: string, method = "GET") =>
    exchange(port, `${method} ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
  expect(await get("/teams/%2500?%=%ff")).toContain('"rawPath":"/teams/\\u0000","rawQueryString":"%=%ff"');
  expect(await get("/teams/%zz")).toMatch(/^HTTP\/1.1 400 /);
  expect(await get("//i/teams/1")).toContain('"rawPath":"//i/teams/1"');
  expect(await get("http://other.example/teams/1")).toContain('"rawPath":"/teams/1"');
  expect(await get("*", "OPTIONS")).toMatch(/^HTTP\/1.1 400 /);
  expect(await get("/te\u0001ams")).toMatch(/^HTTP\/1.1 400 /);
});

test("a caller that disconnects while sending or waiting is logged with 499 and affects nobody else", async () => {
  const [called, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { url, port, requests } = await start(async () => {
    called.resolve();
    await released.promise;
    return { statusCode: 200 };
  });
  // With this header, the gateway reports when it has begun to read.
  const headers = { "content-length": 100, expect: "100-continue" };
  const sending = request({ port, host: "127.0.0.1", method: "POST", path: "/teams/1", headers });
  sending.on("error", () => {});
  await once(sending, "continue");
  sending.write("part");
  sending.destroy();
  await expect.poll(() => requests.map(({ status }) => status)).toEqual([499]);

  const waiting = new AbortController();
  const answer = fetch(`${url}/teams/1`, { signal: waiting.signal });
  await called.promise;
  waiting.abort();
  await expect(answer).rejects.toThrow();
  await expect.poll(() => requests.map(({ status }) => status)).toEqual([499, 499]);
  const other = fetch(`${url}/teams/1`);
  released.resolve();
  expect((await other).status).toBe(200);
});

test("requests are logged without their query", async () => {
  const { url, requests } = await startEcho();
  await fetch(`${url}/teams/1?access_token=secret`);
  await expect.poll(() => requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({
    api: "public",
    method: "GET",
    path: "/teams/1",
    status: 200,
    functionName: "teams",
  });
});

const corsHeaders = (response: Response) =>
  Object.fromEntries([...response.headers].filter(([name]) => name.startsWith("access-control-")));

test("a preflight of an allowed origin gets all headers that it asks for", async () => {
  const { url, requests } = await startEcho({ corsAllowedOrigins: ["https://app.example"] });
  const preflight = (headers: Record<string, string>) =>
    fetch(`${url}/teams/1`, {
      method: "OPTIONS",
      headers: { "access-control-request-method": "PUT", ...headers },
    });
  const wanted = { "access-control-request-headers": "tracestate,x-own" };
  const allowed = await preflight({ origin: "https://app.example", ...wanted });
  expect(allowed.status).toBe(204);
  expect(corsHeaders(allowed)).toEqual({
    "access-control-allow-origin": "https://app.example",
    "access-control-allow-credentials": "true",
    "access-control-allow-methods": expect.stringContaining("PUT"),
    "access-control-allow-headers": "tracestate,x-own",
    "access-control-max-age": "86400",
  });
  expect(allowed.headers.get("vary")).toBe("origin");
  expect(corsHeaders(await preflight({ origin: "https://evil.example", ...wanted }))).toEqual({});
  await expect.poll(() => requests.map(({ functionName }) => functionName)).toEqual([undefined, undefined]);
});

test("pages of an allowed origin can read every answer, from any part of the gateway", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  const results: unknown[] = [
    { statusCode: 302, headers: { location: "https://files.example/1", vary: "accept-language" } },
    { statusCode: 429, headers: { "retry-after": "1", "access-control-allow-origin": "*" } },
    "not the result of a handler",
  ];
  const { url } = await start(() => {
    const result = results.shift();
    if (result === undefined) throw new Error("expected by the test");
    return result;
  });
  const origin = "http://localhost:3000";
  const requests: [string, RequestInit, number][] = [
    ["/teams/1", { redirect: "manual" }, 302],
    ["/teams/1", {}, 429],
    ["/teams/1", {}, 200],
    ["/teams/1", {}, 500],
    ["/teams/%zz", {}, 400],
    ["/teams/1", { method: "PUT", body: "x".repeat(11_000_000) }, 413],
  ];
  for (const [path, init, status] of requests) {
    const response = await fetch(url + path, { ...init, headers: { origin } });
    expect(response.status).toBe(status);
    expect(corsHeaders(response)).toEqual({
      "access-control-allow-origin": origin,
      "access-control-allow-credentials": "true",
      "access-control-expose-headers": "location,replay-nonce,retry-after,x-request-id",
    });
    expect(response.headers.get("vary")).toBe(status === 302 ? "accept-language, origin" : "origin");
  }
});

test.each([
  ["http://localhost", true],
  ["http://localhost:3000", true],
  ["https://localhost:3000", true],
  ["http://app.localhost:3000", true],
  ["http://127.0.0.1:3000", true],
  ["http://127.8.9.1:3000", true],
  ["http://[::1]:3000", true],
  ["null", false],
  ["localhost", false],
  ["file://localhost", false],
  ["http://localhost:3000/", false],
  ["http://LOCALHOST", false],
  ["http://user@localhost", false],
  ["http://localhost.", false],
  ["http://evillocalhost", false],
  ["http://localhost.evil.example", false],
  ["http://127.0.0.1.evil.example", false],
  ["http://128.0.0.1", false],
  ["http://0.0.0.0", false],
  ["http://[::2]", false],
  ["http://192.168.0.1:3000", false],
])("whether pages of %s may call the public API: %s", async (origin, isAllowed) => {
  const { url } = await startEcho();
  const response = await fetch(`${url}/teams/1`, { headers: { origin } });
  expect(response.headers.get("access-control-allow-origin")).toBe(isAllowed ? origin : null);
});

test("no page on this machine may read the internal API", async () => {
  const { url } = await startEcho({ audience: "internal" });
  const headers = { origin: "http://localhost:3000", "access-control-request-method": "PUT" };
  for (const method of ["OPTIONS", "GET"]) {
    const response = await fetch(`${url}/i/teams/1`, { method, headers });
    expect(response.status).toBe(403);
    expect(corsHeaders(response)).toEqual({});
  }
});

test("a port in use is named in the error", async () => {
  const { port } = await startEcho();
  const second = startGateway({
    audience: "public",
    families: [],
    port,
    corsAllowedOrigins: [],
    clock: Date.now,
    invoke: async () => "",
  });
  await expect(second).rejects.toThrow(`Port ${port} is in use; choose others with --port`);
});

test("the root of the internal API redirects to its document", async () => {
  const { url } = await start(() => ({ statusCode: 200 }), { audience: "internal" });
  const { status, headers } = await fetch(url, { redirect: "manual" });
  expect([status, headers.get("location")]).toEqual([302, "/i/docs"]);
});
