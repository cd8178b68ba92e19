import type { IncomingMessage } from "node:http";
import { createContext, runInContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { families } from "#functions/families.ts";
import { socketPathPatterns } from "#lib/constructs/edge-distribution.ts";
import {
  apiFunctionCode,
  relayFunctionCode,
  socketFunctionCode,
  uploadFunctionCode,
} from "#lib/edge-function.ts";
import { preflightReply } from "#lib/http/cors-headers.ts";
import { enter } from "#lib/local/gateway/entrance.ts";
import { socketTarget } from "#lib/socket-paths.ts";
import { allVersions } from "#shared/platform/http/versions.ts";

type Query = Record<string, { value: string }>;
type Headers = Record<string, { value: string }>;
type Outcome =
  | { uri: string; querystring: Query; headers: Headers }
  | { statusCode: number; headers?: Headers };

const viewer = { ip: "2001:db8::1" };

/** Run a function on requests, as CloudFront does. */
function runnerOf(code: string) {
  const context = createContext({});
  runInContext(code, context);
  return (uri: string, querystring: Query = {}, headers: Headers = {}, method = "GET"): Outcome =>
    context.handler({ viewer, request: { method, uri, querystring, headers: { ...headers } } });
}

const run = runnerOf(socketFunctionCode);
const forged = {
  "x-entrance-viewer": { value: "192.0.2.1" },
  "x-entrance-path": { value: "/i/users" },
  "x-entrance-host": { value: "sso.forged.example" },
};

const names = ["await", "websocket", "events"];
const served = allVersions.map((version) => `/v${version}`);
const oddPrefixes = [
  "/v",
  "/v08",
  "/v10",
  "/V8",
  "/v8/",
  "/v8/i",
  "/i",
  "/8",
  "/v%38",
  "/v&a=b",
  "/v+",
  "//",
  "/vé",
];
const paths = [
  ...["", ...served, ...oddPrefixes].flatMap((prefix) =>
    [...names, "Await", "await/", "await/x", "event", "eventss", ""].map((name) => `${prefix}/${name}`),
  ),
  ...names,
];

/** Match as CloudFront does: a star stands for any text, a question mark for any character. */
const matchesPattern = (path: string) =>
  socketPathPatterns.some((pattern) =>
    new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`).test(path),
  );

describe("the CloudFront function of the API", () => {
  const allowed = "https://app.parley.example";
  const enterApi = runnerOf(apiFunctionCode([allowed]));

  it("forwards a path as the local gateway does", () => {
    const host = "chat.parley.example";
    const request = { headers: { host }, socket: { remoteAddress: viewer.ip } } as IncomingMessage;
    const sent = { ...forged, host: { value: host } };
    for (const path of [
      "/",
      "/self",
      "/properties/a%2Fb%3F%25%zz%",
      "/v8/properties/a+b;c=d/~",
      "/%E2%82%AC",
      "/v8/se%6Cf/%2E%2E/%2f%61",
    ]) {
      const { path: expected, headers } = enter(request, path, "secret");
      const { "x-entrance-secret": _, ...others } = headers;
      const withValues = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, { value }]));
      expect.soft(enterApi(path, {}, sent)).toMatchObject({ uri: expected, querystring: {} });
      expect.soft(enterApi(path, {}, sent)).toHaveProperty("headers", { ...withValues, host: sent.host });
    }
  });

  it("keeps query and headers", () => {
    const outcome = enterApi("/a%20b", { a: { value: "%2F" } }, { accept: { value: "*/*" } });
    expect(outcome).toMatchObject({
      querystring: { a: { value: "%2F" } },
      headers: { accept: { value: "*/*" } },
    });
  });

  it("answers a preflight of an allowed origin as the local gateway does, and passes on all others", () => {
    const simple = { origin: allowed };
    const preflight = { ...simple, "access-control-request-method": "PUT" };
    const withHeaders = { ...preflight, "access-control-request-headers": "tracestate,x-own" };
    const send = (sent: Record<string, string>, method = "OPTIONS") => {
      const values = Object.entries(sent).map(([name, value]) => [name, { value }]);
      return enterApi("/self", {}, Object.fromEntries(values), method);
    };
    const isAllowed = (origin: string) => origin === allowed;
    for (const headers of [preflight, withHeaders]) {
      const local = preflightReply({ headers } as unknown as IncomingMessage, isAllowed);
      const answered = Object.entries(local.headers).map(([name, value]) => [name, { value }]);
      expect(send(headers)).toMatchObject({
        statusCode: local.status,
        headers: Object.fromEntries(answered),
      });
    }
    expect(send({ ...preflight, origin: "https://evil.example" })).toHaveProperty("uri");
    expect(send({ ...preflight, origin: `${allowed}.evil.example` })).toHaveProperty("uri");
    expect(send(preflight, "GET")).toHaveProperty("uri");
    expect(send(simple)).toHaveProperty("uri");
  });

  it("refuses a path that does not fit into a header", () => {
    for (const path of ["/a%20\n", "/%20ä", "/ %20"])
      expect(enterApi(path)).toMatchObject({ statusCode: 400 });
  });
});

describe("the CloudFront function of the sockets", () => {
  it("maps every path as the local gateway does", () => {
    for (const path of paths) {
      const target = socketTarget(path);
      const outcome = run(path);
      if (target === undefined) {
        expect.soft(outcome, path).toMatchObject({ statusCode: 404 });
        continue;
      }
      const { endpoint, version, ...more } = "querystring" in outcome ? outcome.querystring : {};
      const made = { endpoint: endpoint?.value, version: decodeURIComponent(version?.value ?? "") };
      expect.soft(outcome, path).toMatchObject({ uri: "/live" });
      expect.soft({ ...made, ...more }, path).toEqual(target);
    }
  });

  it("overrides endpoint and version in the query, and keeps the rest", () => {
    const sent = { endpoint: { value: "events" }, version: { value: "v1" }, client: { value: "a" } };
    expect(run("/await", { ...sent })).toMatchObject({
      querystring: { endpoint: { value: "await" }, client: { value: "a" } },
    });
    expect(run("/await", { ...sent })).not.toHaveProperty("querystring.version");
    expect(run("/v8/events", { ...sent })).toHaveProperty("querystring.version.value", "v8");
  });

  it("names the client, whatever the client claims", () => {
    expect(run("/await", {}, forged)).toHaveProperty("headers", {
      "x-entrance-viewer": { value: viewer.ip },
      "x-entrance-host": { value: "" },
    });
  });
});

describe("the CloudFront function of the sockets in front of relays", () => {
  const enterRelay = runnerOf(relayFunctionCode);

  it("leaves path and query as they are, because relays read them", () => {
    for (const path of paths) {
      const query = { endpoint: { value: "events" }, client: { value: "a" } };
      expect.soft(enterRelay(path, { ...query }), path).toMatchObject({ uri: path, querystring: query });
    }
  });

  it("names the client, whatever the client claims", () => {
    expect(enterRelay("/v8/await", {}, forged)).toHaveProperty("headers", {
      "x-entrance-viewer": { value: viewer.ip },
      "x-entrance-host": { value: "" },
    });
  });
});

describe("the CloudFront function of uploads", () => {
  const allowed = "https://app.parley.example";
  const enterUpload = runnerOf(uploadFunctionCode([allowed]));

  it("leaves the path as it is, and names the client, whatever the client claims", () => {
    const outcome = enterUpload("/v8/asse%74s", { a: { value: "b" } }, forged, "POST");
    expect(outcome).toMatchObject({ uri: "/v8/asse%74s", querystring: { a: { value: "b" } } });
    expect(outcome).toHaveProperty("headers", {
      "x-entrance-viewer": { value: viewer.ip },
      "x-entrance-host": { value: "" },
    });
  });

  it("answers a preflight of an allowed origin only", () => {
    const preflight = { "access-control-request-method": { value: "POST" } };
    const send = (origin: string) =>
      enterUpload("/assets", {}, { ...preflight, origin: { value: origin } }, "OPTIONS");
    expect(send(allowed)).toMatchObject({
      statusCode: 204,
      headers: { "access-control-allow-origin": { value: allowed } },
    });
    expect(send("https://evil.example")).toHaveProperty("uri");
  });
});

describe("the CloudFront functions", () => {
  const origins = ["https://app.parley.example"];
  it.each([apiFunctionCode(origins), uploadFunctionCode(origins), socketFunctionCode, relayFunctionCode])(
    "use no syntax that the runtime lacks, and stay small",
    (code) => {
      expect(code).not.toMatch(/\b(class|import|export|=>|\?\.|\?\?)|const \{|const \[/);
      expect(Buffer.byteLength(code)).toBeLessThan(10_240);
    },
  );
});

describe("the distribution's path patterns for sockets", () => {
  it("match the sockets of every version", () => {
    const sockets = ["", ...served].flatMap((prefix) => names.map((name) => `${prefix}/${name}`));
    expect(sockets.filter((path) => !matchesPattern(path))).toEqual([]);
  });

  it("match no other operation", () => {
    const operations = families
      .flatMap(({ routes }) => Object.values(routes))
      .flatMap(({ path }) => ["", ...served].map((prefix) => prefix + path.replaceAll(/\{\w+\}/g, "any")));
    expect(operations.filter((path) => matchesPattern(path) && socketTarget(path) === undefined)).toEqual([]);
  });
});
