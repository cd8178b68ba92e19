import { describe, expect, it } from "vitest";
import { families } from "#functions/families.ts";
import { type Audience, fallbackFamily, gatewayRoutes, resolveRoute } from "#lib/gateway-routes.ts";
import type { Auth, Route } from "#shared/platform/http/route.ts";
import type { Family } from "#shared/platform/manifest.ts";
import { readPublishedInterface } from "../contract/published-interface.ts";
import { allPaths, familiesAtFullSize, ownerOf } from "./planned-functions.ts";

const audiences: Audience[] = ["public", "internal"];

/** A path as a client would send it: an id in place of each parameter. */
const concrete = (path: string) => path.replaceAll(/\{\w+\}/g, "0190a5b8-7f6e-7d43-8a51-3c2a9be0d1f4");

const family = (name: string, paths: string[], auth: Auth = "none"): Family => ({
  domain: "platform",
  name,
  summary: name,
  routes: Object.fromEntries(
    paths.map((path): [string, Route] => [
      `${name} ${path}`,
      { method: "GET", path, auth, summary: path, responses: { 200: null }, errors: [] },
    ]),
  ),
});

/** Name of the family that a request reaches through the routes of these families. */
const reached = (list: readonly Family[], path: string, audience: Audience = "public") =>
  resolveRoute(gatewayRoutes(list, audience), path)?.family;

/** The paths that a route key matches by the rules of API Gateway, written independently of the code under test. */
const expressionOf = (path: string) =>
  new RegExp(
    `^${path
      .replaceAll(".", "\\.")
      .replace("{proxy+}", ".+")
      .replaceAll(/\{\w+\}/g, "[^/]+")}$`,
  );

const isGreedy = (path: string) => path.endsWith("{proxy+}");

const sizes: [string, readonly Family[]][] = [
  ["today", families],
  ["at full size", familiesAtFullSize()],
];

/** Both APIs, with the requests that must reach each operation. */
const apis = sizes.flatMap(([size, list]) =>
  audiences.map((audience) => {
    const routes = gatewayRoutes(list, audience);
    const expressions = routes.map(({ path }) => ({ path, expression: expressionOf(path) }));
    const requests = list.flatMap(({ name, routes: rows }) =>
      Object.values(rows)
        .filter(({ auth, isForBrowsersOnly = false }) =>
          audience === "internal" ? !isForBrowsersOnly : auth !== "internal",
        )
        .flatMap(({ path, auth, isForBrowsersOnly = false, allowsTrailingSlash = false }) =>
          (auth === "internal" || isForBrowsersOnly ? [""] : ["", "/v0", "/v8"]).map((prefix) => ({
            name,
            path: prefix + concrete(path),
            allowsTrailingSlash,
          })),
        ),
    );
    const familyOf = new Map(routes.map(({ path, family }) => [path, family]));
    const matching = (requested: string) =>
      expressions.filter(({ expression }) => expression.test(requested)).map(({ path }) => path);
    return { title: `${size}, ${audience} API`, routes, requests, familyOf, matching };
  }),
);

describe.each(apis)(
  "the routes of the real families ($title)",
  ({ routes, requests, familyOf, matching }) => {
    it("lead every operation to its family, with and without a version", () => {
      for (const { name, path } of requests) {
        expect.soft(resolveRoute(routes, path)?.family, path).toBe(name);
      }
    });

    it("lead a path with a trailing slash to the family that allows it", () => {
      for (const { name, path } of requests.filter(({ allowsTrailingSlash }) => allowsTrailingSlash)) {
        expect.soft(resolveRoute(routes, `${path}/`)?.family, path).toBe(name);
      }
    });

    it("leave no operation to greedy routes of several families, for which AWS defines no order", () => {
      for (const { name, path } of requests) {
        const matches = matching(path);
        if (!matches.every(isGreedy)) continue;
        expect.soft(new Set([name, ...matches.map((match) => familyOf.get(match))]).size, path).toBe(1);
      }
    });

    it("leave no operation to routes of two families when each has a literal where the other has a parameter", () => {
      const literals = (match: string) => match.split("/").map((part) => !part.startsWith("{"));
      const isAsLiteral = (one: string, other: string) =>
        literals(other).every((isLiteral, index) => !isLiteral || literals(one)[index]);
      for (const { name, path } of requests) {
        const full = matching(path).filter((match) => !isGreedy(match));
        const own = full.filter((match) => familyOf.get(match) === name);
        const others = full.filter((match) => familyOf.get(match) !== name);
        const isClear =
          others.length === 0 || own.some((one) => others.every((other) => isAsLiteral(one, other)));
        expect.soft(isClear, path).toBe(true);
      }
    });

    it("contain no internal path below a version, because internal paths have no version", () => {
      expect(routes.filter(({ path }) => /^\/\{version\}\/(i\/|\{)/.test(path))).toEqual([]);
    });

    it("stay below 290: an API may have 300", () => {
      expect(routes.length).toBeLessThan(290);
    });

    it("use one variable name per level, including greedy ones, as API Gateway requires", () => {
      const variableBelow = new Map<string, string>();
      for (const { path } of routes) {
        for (const { 0: variable, index } of path.matchAll(/\{\w+\+?\}/g)) {
          const place = path.slice(0, index);
          expect(variableBelow.get(place) ?? variable).toBe(variable);
          variableBelow.set(place, variable);
        }
      }
    });
  },
);

describe("the routes of the real families", () => {
  it("lead a path with a rest of any length to the family of its operation", () => {
    const taking = families.flatMap(({ name, routes }) =>
      Object.values(routes).flatMap(({ path, takesRest }) => (takesRest ? [{ name, path }] : [])),
    );
    expect(taking).not.toEqual([]);
    for (const audience of audiences) {
      for (const { name, path } of taking) {
        for (const requested of ["", "/a", "/a/b/c", "//"].map((rest) => `/v8${concrete(path)}${rest}`)) {
          expect.soft(reached(families, requested, audience), requested).toBe(name);
        }
      }
    }
  });

  it("lead operations of old versions to their family under any version", () => {
    const routes = gatewayRoutes(families, "public");
    for (const path of ["clients", "clients/0", "prekeys", "prekeys/0"]) {
      for (const prefix of ["", "/v1", "/v2", "/v8"]) {
        const requested = `${prefix}${concrete("/users/{uid}/")}${path}`;
        expect.soft(resolveRoute(routes, requested)?.family, requested).toBe("prekeys");
      }
    }
  });

  it("contain no internal path on the public API", () => {
    const paths = gatewayRoutes(families, "public").map(({ path }) => path);
    expect(paths.filter((path) => path.split("/").includes("i"))).toEqual([]);
  });

  it("are planned for every path of the published interface", () => {
    expect(allPaths).toEqual(expect.arrayContaining(readPublishedInterface().map(({ path }) => path)));
    expect(allPaths.filter((path) => ownerOf(path) === undefined)).toEqual([]);
  });
});

describe("gatewayRoutes", () => {
  it("keeps /conversations/self apart from /{version}/self", () => {
    const list = [
      family("self", ["/self"]),
      family("conversations", ["/conversations", "/conversations/self"]),
    ];
    expect(reached(list, "/self")).toBe("self");
    expect(reached(list, "/v8/self")).toBe("self");
    expect(reached(list, "/conversations/self")).toBe("conversations");
    expect(reached(list, "/v8/conversations/self")).toBe("conversations");
  });

  it("gives a prefix of one family a single greedy route, which covers future operations", () => {
    const list = [family("teams", ["/teams/{tid}/members", "/teams/{tid}/invitations/{id}"])];
    expect(gatewayRoutes(list, "public").map(({ path }) => path)).toEqual([
      "/teams/{proxy+}",
      "/{version}/teams/{proxy+}",
      "$default",
    ]);
  });

  it("splits a prefix shared by several families where they part", () => {
    const list = [
      family("teams", ["/teams", "/teams/{tid}", "/teams/{tid}/members/{uid}"]),
      family("legal-hold", ["/teams/{tid}/legalhold/{uid}"]),
      family("features", ["/teams/{tid}/features/{name}"]),
    ];
    for (const prefix of ["", "/v8"]) {
      expect(reached(list, `${prefix}/teams`)).toBe("teams");
      expect(reached(list, `${prefix}/teams/t1`)).toBe("teams");
      expect(reached(list, `${prefix}/teams/t1/members/u1`)).toBe("teams");
      expect(reached(list, `${prefix}/teams/t1/legalhold/u1`)).toBe("legal-hold");
      expect(reached(list, `${prefix}/teams/t1/features/sso`)).toBe("features");
    }
  });

  it("sends one path to one family, whatever its parameter is called", () => {
    const list = [
      family("users", ["/users/{uid}/name", "/users/{id}/handle"]),
      family("rich", ["/users/{user}/rich"]),
    ];
    expect(reached(list, "/users/u1/name")).toBe("users");
    expect(reached(list, "/users/u1/handle")).toBe("users");
    expect(reached(list, "/users/u1/rich")).toBe("rich");
  });

  it("leaves unknown paths to the family that answers them with errors", () => {
    expect(reached([family("self", ["/self"])], "/nothing/here")).toBe(fallbackFamily);
    expect(reached([family("self", ["/self"])], "/")).toBe(fallbackFamily);
  });

  it("puts internal operations on the internal API only", () => {
    const list = [family("self", ["/self"]), family("admin", ["/i/users/{uid}", "/i/status"], "internal")];
    for (const path of ["/i/users/u1", "/i/status"]) {
      expect(reached(list, path, "internal")).toBe("admin");
      expect(reached(list, path)).toBe(fallbackFamily);
    }
  });

  it("leaves internal paths with a version, which no family serves, to the family that answers with errors", () => {
    const list = [family("admin", ["/i/users/{uid}"], "internal")];
    for (const audience of audiences) expect(reached(list, "/v8/i/users/u1", audience)).toBe(fallbackFamily);
  });

  it("gives a path its own route where greedy routes of two families match it", () => {
    const list = [
      family("oauth", ["/oauth/token", "/oauth/clients/{id}"]),
      family("clients", ["/clients/{id}"]),
    ];
    const paths = gatewayRoutes(list, "public").map(({ path }) => path);
    expect(paths).toContain("/oauth/clients/{p2}");
    expect(paths).not.toContain("/oauth/{p1}");
    expect(reached(list, "/oauth/clients/c1")).toBe("oauth");
    expect(reached(list, "/oauth/clients/c1/more")).toBe("oauth");
  });

  it("gives one family a route for each depth at which others have a parameter below the prefix", () => {
    const list = [
      family("features", ["/teams/{tid}/features/sso", "/teams/{tid}/features/mls"]),
      family("teams", ["/teams/{tid}", "/teams/{tid}/members", "/teams/{tid}/members/{uid}"]),
    ];
    const paths = gatewayRoutes(list, "public").map(({ path }) => path);
    expect(paths.filter((path) => !path.startsWith("/{version}"))).toEqual([
      "/teams/{p1}/features/{p3}",
      "/teams/{p1}",
      "/teams/{p1}/{p2}",
      "/teams/{p1}/{p2}/{p3}",
      "$default",
    ]);
  });

  it("names a variable the same with and without a version before it, so that deployed routes stay", () => {
    const list = [family("users", ["/users/{uid}"]), family("rich", ["/users/{uid}/rich"])];
    const paths = gatewayRoutes(list, "public").map(({ path }) => path);
    expect(paths).toContain("/users/{p1}/rich");
    expect(paths).toContain("/{version}/users/{p1}/rich");
  });

  it("refuses two families with one path", () => {
    const list = [family("users", ["/users/{uid}/email"]), family("self", ["/users/{id}/email"])];
    expect(() => gatewayRoutes(list, "public")).toThrow("Two families have the path /users/{p1}/email");
  });
});

describe("resolveRoute", () => {
  const routes = [
    "/self",
    "/{version}/self",
    "/users/{proxy+}",
    "/users/me",
    "/{version}/{proxy+}",
    "$default",
  ].map((path) => ({ path, family: path }));

  it.each([
    ["/self", "/self"],
    ["/users/me", "/users/me"],
    ["/users/self", "/{version}/self"],
    ["/users/u1", "/users/{proxy+}"],
    ["/users/u1/devices", "/users/{proxy+}"],
    ["/v8/users/u1", "/{version}/{proxy+}"],
    ["/users", "$default"],
  ])("sends %s to %s, as API Gateway does", (path, route) => {
    expect(resolveRoute(routes, path)?.path).toBe(route);
  });
});
