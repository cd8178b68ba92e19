import { expect, it } from "vitest";
import { parseSettings, type SettingsInput } from "#shared/registry/settings.ts";
import { defineRoutes, type Route } from "./route.ts";
import { Router } from "./router.ts";
import { apiVersions } from "./versions.ts";

const route = (method: Route["method"], path: string, fields: Partial<Route> = {}) =>
  ({
    method,
    audit: { none: "a test" },
    path,
    auth: "none",
    summary: "",
    responses: { 200: null },
    errors: [],
    ...fields,
  }) as Route;

const routes = defineRoutes({
  get: route("GET", "/things/{id}"),
  put: route("PUT", "/things/{id}"),
  literal: route("GET", "/things/special"),
  list: route("POST", "/things/list", { since: 2, until: 3 }),
  rest: route("GET", "/rests/{id}", { takesRest: true }),
  "below-rest": route("GET", "/rests/{id}/special"),
  "old-shape": route("POST", "/things", { until: 3 }),
  "new-shape": route("POST", "/things", { since: 4 }),
  slash: route("GET", "/slashes", { allowsTrailingSlash: true }),
  "slash-below": route("GET", "/slashes/{id}", { allowsTrailingSlash: true }),
  late: route("GET", "/late", { since: 5, until: 7 }),
  "late-literal": route("GET", "/things/late", { since: 6 }),
  internal: route("GET", "/i/things", { auth: "internal" }),
});

const match = (
  method: string,
  path: string,
  { isInternal = false, ...settings }: SettingsInput & { isInternal?: boolean } = {},
) => new Router(routes, apiVersions(parseSettings(settings))).match(method, path, { isInternal });
const errorOf = (error: string) => expect.objectContaining({ error });

it("the router prefers a literal to a parameter", () => {
  expect(match("GET", "/v2/things/special").operationId).toBe("literal");
  expect(match("GET", "/v2/things/other")).toMatchObject({ operationId: "get", params: { id: "other" } });
});

it("the router takes a slash at the end only where a route allows it", () => {
  expect(match("GET", "/v2/slashes/")).toMatchObject({ operationId: "slash", params: {} });
  expect(match("GET", "/slashes/1/")).toMatchObject({ operationId: "slash-below", params: { id: "1" } });
  for (const path of ["/things/1/", "/slashes//", "/slashes/1//"]) {
    expect(() => match("GET", path)).toThrow(errorOf("no-such-route"));
  }
});

it("the router selects the route for the requested version", () => {
  expect(match("POST", "/v3/things").operationId).toBe("old-shape");
  expect(match("POST", "/v4/things").operationId).toBe("new-shape");
  expect(() => match("GET", "/v4/late")).toThrow(errorOf("no-such-route"));
  expect(() => match("GET", "/v8/late")).toThrow(errorOf("no-such-route"));
});

it("the router knows nothing of a method that a path has only in other versions, even where another pattern fits", () => {
  expect(match("POST", "/v2/things/list").operationId).toBe("list");
  for (const version of ["v1", "v4"]) {
    expect(() => match("POST", `/${version}/things/list`)).toThrow(errorOf("no-such-route"));
    expect(() => match("POST", `/${version}/things/1`)).toThrow(errorOf("method-not-allowed"));
  }
});

it("the router serves a path without a prefix as version 0, or as the first version that has it", () => {
  expect(match("POST", "/things")).toMatchObject({ operationId: "old-shape", version: 0, isPrefixed: false });
  expect(match("GET", "/late")).toMatchObject({ operationId: "late", version: 5 });
  expect(match("GET", "/things/late")).toMatchObject({ operationId: "late-literal", version: 6, params: {} });
});

it("the router serves a path without a prefix as the lowest enabled version when version 0 is disabled", () => {
  const settings = { setDisabledAPIVersions: [0, "v1", 2, 3] };
  expect(match("POST", "/things", settings)).toMatchObject({ operationId: "new-shape", version: 4 });
});

it.each([
  "/v10/things",
  "/v99/things",
  "/v99",
  "/v00/things",
  "/v8a/things",
  "/v08/things/1",
  "/V8/things/1",
  "/v/things/1",
  "/vx/things/1",
  "/v-1/things",
  "/v1.0/things",
  "/v8.5/x",
])("the router refuses the version in %s", (path) => {
  expect(() => match("GET", path)).toThrow(errorOf("unsupported-version"));
});

it("the router refuses disabled versions, and serves development versions that are not advertised", () => {
  expect(() => match("POST", "/v3/things", { setDisabledAPIVersions: ["v3"] })).toThrow(
    errorOf("unsupported-version"),
  );
  expect(() => match("POST", "/v9/things", { setDisabledAPIVersions: ["development"] })).toThrow(
    errorOf("unsupported-version"),
  );
  expect(match("POST", "/v9/things", { setEnableDevelopmentVersions: false }).version).toBe(9);
});

it("the router names the methods of a path, and serves HEAD as GET", () => {
  expect(() => match("DELETE", "/things/1")).toThrow(
    expect.objectContaining({ error: "method-not-allowed", headers: { allow: "GET, HEAD, PUT" } }),
  );
  expect(match("HEAD", "/things/1").operationId).toBe("get");
});

it("the router serves internal paths to internal callers only, and never under a version", () => {
  expect(match("GET", "/i/things", { isInternal: true }).operationId).toBe("internal");
  expect(() => match("GET", "/i/things")).toThrow(errorOf("no-such-route"));
  expect(() => match("GET", "/v8/i/things", { isInternal: true })).toThrow(errorOf("no-such-route"));
});

it("the router gives the last parameter the rest of the path, where a route says so", () => {
  const idOf = (path: string) => match("GET", path).params.id;
  expect(idOf("/rests/a")).toBe("a");
  expect(idOf("/rests/a/b%2Fc//d/")).toBe("a/b/c//d/");
  expect(idOf("/v8/rests//")).toBe("/");
  expect(match("GET", "/rests/a/special").operationId).toBe("below-rest");
  expect(match("GET", "/rests/a/special/b").params).toEqual({ id: "a/special/b" });
  expect(() => match("GET", "/rests/")).toThrow(errorOf("no-such-route"));
  expect(() => match("GET", "/things/a/b")).toThrow(errorOf("no-such-route"));
  expect(() => match("PUT", "/rests/a/b")).toThrow(errorOf("method-not-allowed"));
});

it("the router decodes parameters, and refuses those that cannot be decoded", () => {
  expect(match("GET", "/things/a%2Fb%20c").params).toEqual({ id: "a/b c" });
  expect(() => match("GET", "/things/%E0%A4")).toThrow(errorOf("bad-request"));
  expect(() => match("GET", "/things/")).toThrow(errorOf("no-such-route"));
});

it("the router renders errors at unknown paths in SCIM form where all nearby operations do", () => {
  const scim = { errorFormat: "scim" } as const;
  const router = new Router(
    {
      tokens: route("GET", "/scim/tokens"),
      users: route("GET", "/scim/v2/Users", scim),
      user: route("GET", "/scim/v2/Users/{id}", scim),
      page: route("GET", "/pages/{id}", { errorFormat: "page" }),
    },
    apiVersions(parseSettings({})),
  );
  for (const path of [
    "/scim/v2/Users",
    "/v8/scim/v2",
    "/scim/v2/",
    "/scim/v2/Users/1/2",
    "/v99/scim/v2/Me",
  ]) {
    expect(router.errorFormatOf(path), path).toBe("scim");
  }
  for (const path of ["/", "/scim", "/scim/v1/Users", "/scim/tokens/1", "/pages", "/v8/else"]) {
    expect(router.errorFormatOf(path), path).toBe("json");
  }
});
