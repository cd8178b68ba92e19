import { describe, expect, it } from "vitest";
import { families } from "#functions/families.ts";
import { type Audience, fallbackFamily, gatewayRoutes, resolveRoute } from "#lib/gateway-routes.ts";
import type { Family } from "#shared/family.ts";
import type { Auth, Route } from "#shared/http/route.ts";

const audiences: Audience[] = ["public", "internal"];

/** A path as a client would send it: an id in place of each parameter. */
const concrete = (path: string) => path.replaceAll(/\{\w+\}/g, "0190a5b8-7f6e-7d43-8a51-3c2a9be0d1f4");

const family = (name: string, paths: string[], auth: Auth = "none"): Family => ({
  name,
  summary: name,
  routes: Object.fromEntries(
    paths.map((path): [string, Route] => [
      `${name} ${path}`,
      { method: "GET", path, auth, summary: path, responses: { 200: null }, errors: [] },
    ]),
  ),
});

/** Name of the family that a request reaches through the routes of some families. */
const reached = (list: readonly Family[], path: string, audience: Audience = "public") =>
  resolveRoute(gatewayRoutes(list, audience), path)?.family;

describe("the routes of the real families", () => {
  const operations = families.flatMap(({ name, routes }) =>
    Object.values(routes).map((route) => ({ name, ...route })),
  );

  it.each(audiences)("lead every operation to its family (%s API)", (audience) => {
    const routes = gatewayRoutes(families, audience);
    const visible = operations.filter(({ auth }) => audience === "internal" || auth !== "internal");
    for (const { name, path } of visible) {
      for (const prefix of ["", "/v0", "/v8"]) {
        expect.soft(resolveRoute(routes, prefix + concrete(path))?.family, prefix + path).toBe(name);
      }
    }
  });

  it("lead what only old versions have to the family that had it, whatever the version", () => {
    const routes = gatewayRoutes(families, "public");
    for (const path of ["clients", "clients/0", "prekeys", "prekeys/0"]) {
      for (const prefix of ["", "/v1", "/v2", "/v8"]) {
        const asked = `${prefix}${concrete("/users/{uid}/")}${path}`;
        expect.soft(resolveRoute(routes, asked)?.family, asked).toBe("prekeys");
      }
    }
  });

  it("name no internal path on the public API", () => {
    const paths = gatewayRoutes(families, "public").map(({ path }) => path);
    expect(paths.filter((path) => path.split("/").includes("i"))).toEqual([]);
  });

  it.each(audiences)("stay below the quota of 300 (%s API)", (audience) => {
    expect(gatewayRoutes(families, audience).length).toBeLessThan(300);
  });

  it.each(audiences)(
    "have one name for a parameter in one place, as API Gateway demands (%s API)",
    (audience) => {
      const nameBelow = new Map<string, string>();
      for (const { path } of gatewayRoutes(families, audience)) {
        for (const { 0: name, index } of path.matchAll(/\{\w+\}/g)) {
          const place = path.slice(0, index);
          expect(nameBelow.get(place) ?? name).toBe(name);
          nameBelow.set(place, name);
        }
      }
    },
  );
});

describe("gatewayRoutes", () => {
  it("keeps /conversations/self away from /{version}/self", () => {
    const list = [
      family("self", ["/self"]),
      family("conversations", ["/conversations", "/conversations/self"]),
    ];
    expect(reached(list, "/self")).toBe("self");
    expect(reached(list, "/v8/self")).toBe("self");
    expect(reached(list, "/conversations/self")).toBe("conversations");
    expect(reached(list, "/v8/conversations/self")).toBe("conversations");
  });

  it("gives a prefix of one family a single greedy route, which covers operations to come", () => {
    const list = [family("teams", ["/teams/{tid}/members", "/teams/{tid}/invitations/{id}"])];
    expect(gatewayRoutes(list, "public").map(({ path }) => path)).toEqual([
      "/teams/{proxy+}",
      "/{version}/teams/{proxy+}",
      "$default",
    ]);
  });

  it("splits a prefix that families share where they part", () => {
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

  it("sends one path to one family, whatever the parameter is called", () => {
    const list = [
      family("users", ["/users/{uid}/name", "/users/{id}/handle"]),
      family("rich", ["/users/{user}/rich"]),
    ];
    expect(reached(list, "/users/u1/name")).toBe("users");
    expect(reached(list, "/users/u1/handle")).toBe("users");
    expect(reached(list, "/users/u1/rich")).toBe("rich");
  });

  it("leaves what nobody has to the family that answers errors", () => {
    expect(reached([family("self", ["/self"])], "/nothing/here")).toBe(fallbackFamily);
    expect(reached([family("self", ["/self"])], "/")).toBe(fallbackFamily);
  });

  it("shows internal operations to the internal API only", () => {
    const list = [family("self", ["/self"]), family("admin", ["/i/users/{uid}", "/i/status"], "internal")];
    for (const path of ["/i/users/u1", "/v8/i/users/u1", "/i/status"]) {
      expect(reached(list, path, "internal")).toBe("admin");
      expect(reached(list, path)).toBe(fallbackFamily);
    }
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
