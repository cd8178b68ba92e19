import { createContext, runInContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { families } from "#functions/families.ts";
import { socketPathPatterns } from "#lib/constructs/edge-distribution.ts";
import { edgeFunctionCode } from "#lib/edge-function.ts";
import { socketTarget } from "#lib/socket-paths.ts";
import { allVersions } from "#shared/platform/http/versions.ts";

type Query = Record<string, { value: string }>;
type Outcome = { uri: string; querystring: Query } | { statusCode: number };

const context = createContext({});
runInContext(edgeFunctionCode, context);

/** Run the function on a request, as CloudFront does. */
const run = (uri: string, querystring: Query = {}): Outcome =>
  context.handler({ request: { method: "GET", uri, querystring, headers: {} } });

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

describe("the CloudFront function", () => {
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

  it("uses no syntax that the runtime lacks, and stays below its size limit", () => {
    expect(edgeFunctionCode).not.toMatch(/\b(class|import|export|=>|\?\.|\?\?)|const \{|const \[/);
    expect(Buffer.byteLength(edgeFunctionCode)).toBeLessThan(10_240);
  });
});

describe("the path patterns of the distribution", () => {
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
