import { describe, expect, it } from "vitest";
import { families } from "#functions/families.ts";
import { type Audience, fallbackFamily, gatewayRoutes, resolveRoute } from "#lib/gateway-routes.ts";
import { enter } from "#lib/local/gateway/entrance.ts";
import { readRequestPath } from "#lib/local/gateway/request-path.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { readArrival } from "#shared/platform/http/entrance.ts";
import type { HttpEvent } from "#shared/platform/http/request.ts";
import type { Route } from "#shared/platform/http/route.ts";
import { Router } from "#shared/platform/http/router.ts";
import { allVersions, apiVersions } from "#shared/platform/http/versions.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { samplePath } from "../support/sample.ts";
import { operationTargets, type Target, targets, versionsOf } from "../support/targets.ts";

/** Methods and paths of every operation, from the request line to the row of a route table. */

interface Request {
  readonly audience: Audience;
  readonly method: string;
  readonly path: string;
}

/** The id of an operation, or the status and label of an error, with the methods that it allows instead. */
type Destination = string;

const secret = "secret of the entrance";
const socket = { remoteAddress: "192.0.2.1", localPort: 80 };
const gateways = { public: gatewayRoutes(families, "public"), internal: gatewayRoutes(families, "internal") };
const versions = apiVersions(parseSettings({}));
const routers = new Map(families.map(({ name, routes }) => [name, new Router(routes, versions)]));

/** Takes a request through the entrance and the gateway to the router of the family that the gateway selects. */
function destinationOf({ audience, method, path: sent }: Request): Destination {
  const isInternal = audience === "internal";
  const entered = isInternal ? undefined : enter({ headers: {}, socket }, sent, secret);
  const path = readRequestPath(entered?.path ?? sent);
  if (path === undefined) return "400";
  const family = resolveRoute(gateways[audience], path.routed)?.family ?? fallbackFamily;
  const event = {
    rawPath: path.raw,
    headers: entered?.headers ?? {},
    requestContext: { http: {}, ...(isInternal && { authorizer: { iam: {} } }) },
  } as unknown as HttpEvent;
  try {
    const arrival = readArrival(event, entered && secret);
    return routers.get(family)?.match(method, arrival.path, { isInternal }).operationId ?? "";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, label, headers } = error;
    return [status, label, ...(headers?.allow ? [headers.allow] : [])].join(" ");
  }
}

/** Checks where requests lead; a failure names each that leads elsewhere. */
function expectDestinations<Sent extends Request>(
  requests: readonly Sent[],
  isExpected: (destination: Destination, request: Sent) => boolean,
): void {
  expect(requests.length).toBeGreaterThan(0);
  const wrong = requests.flatMap((request) => {
    const destination = destinationOf(request);
    const { audience, method, path } = request;
    return isExpected(destination, request)
      ? []
      : [`${method} ${path.slice(0, 200)} at the ${audience} API: ${destination}`];
  });
  expect(wrong).toEqual([]);
}

const isNoEndpoint = (destination: Destination) => destination === "404 no-endpoint";
const isRefused = (destination: Destination) => /^40[045]( |$)/.test(destination);

const rowsBySample = Map.groupBy(
  operationTargets.map(({ route }) => route),
  samplePath,
);
/** The rows of a target's path in all versions. */
const rowsOf = ({ route }: Pick<Target, "route">): Route[] => rowsBySample.get(samplePath(route)) ?? [];
/** The rows of a target's path in the version of its prefix. */
const rowsHere = (target: Target): Route[] =>
  rowsOf(target).filter(
    (row) => target.prefix === "" || versionsOf(row).includes(Number(target.prefix.slice(2))),
  );

describe("an operation", () => {
  interface Wanted extends Request {
    readonly operationId: string;
    readonly isThere: boolean;
  }
  const leadsThere = (destination: Destination, { operationId, isThere }: Wanted) =>
    (destination === operationId) === isThere;

  it("is reached under the versions that have it, and under no others", () => {
    // A route of the gateway that has other operations of the family may lead to our own pages under a version, too.
    const versioned = operationTargets.filter(({ route }) => !route.isForBrowsersOnly);
    expectDestinations(
      versioned.flatMap(({ operationId, audience, route }) =>
        allVersions.map((version) => ({
          operationId,
          isThere: versionsOf(route).includes(version),
          audience,
          method: route.method,
          path: `/v${version}${samplePath(route)}`,
        })),
      ),
      leadsThere,
    );
  });

  it("is also reached without a version, unless an earlier version has a different operation at its path", () => {
    expectDestinations(
      operationTargets.map(({ operationId, audience, route }) => {
        const others = rowsOf({ route }).filter(({ method }) => method === route.method);
        const isThere = others.every(({ since = 0 }) => since >= (route.since ?? 0));
        return { operationId, isThere, audience, method: route.method, path: samplePath(route) };
      }),
      leadsThere,
    );
  });

  it("of the public API can also be reached through the internal API", () => {
    const open = targets.filter(({ audience, prefix }) => audience === "public" && prefix !== "");
    expectDestinations(
      open.map(({ operationId, route: { method }, path }) => ({
        operationId,
        isThere: true,
        audience: "internal",
        method,
        path,
      })),
      leadsThere,
    );
  });

  it("of the internal API cannot be reached through the public API, however its path is spelt", () => {
    const internal = operationTargets.filter(({ audience }) => audience === "internal");
    const prefixes = [
      "",
      "/",
      "/%2F",
      "/self",
      "/access/..",
      ...allVersions.map((version) => `/v${version}`),
    ];
    expectDestinations(
      internal.flatMap(({ route: { method }, path }) =>
        [
          ...prefixes.map((prefix) => prefix + path),
          path.replace("/i/", "/%69/"),
          path.replace("/i/", "/i%2F"),
        ].map((spelt) => ({ audience: "public" as const, method, path: spelt })),
      ),
      isNoEndpoint,
    );
  });
});

const idOf = new Map(operationTargets.map(({ route, operationId }) => [route, operationId]));
const idsHere = (target: Target) => rowsHere(target).map((row) => idOf.get(row));
/** One target for each path, under each prefix that gives it other rows, with the methods that the path allows. */
const described = [...new Map(targets.map((target) => [idsHere(target).join(), target])).values()].map(
  (target) => {
    const { audience, path } = target;
    const destination = destinationOf({ audience, method: "OPTIONS", path });
    const isHiding = rowsHere(target).some((row) => row.hidesOtherMethods);
    return { target, audience, path, isHiding, allow: destination.replace("405 method-not-allowed ", "") };
  },
);

describe("a method", () => {
  const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
  const has = (rows: readonly Route[], method: string) => rows.some((row) => row.method === method);

  it("that a path lacks returns 404 without naming the methods of the path, where these are hidden", () => {
    const hiding = described.filter(({ isHiding }) => isHiding);
    expectDestinations(
      hiding.flatMap(({ target, audience, path }) =>
        methods
          .filter(
            (method) =>
              !has(rowsHere(target), method) && !(method === "HEAD" && has(rowsHere(target), "GET")),
          )
          .map((method) => ({ audience, method, path })),
      ),
      isNoEndpoint,
    );
  });

  const open = described.filter(({ isHiding }) => !isHiding);

  it("that a path lacks returns 405 with the methods that the path has, or 404 if only other versions have the path", () => {
    expectDestinations(
      open.flatMap(({ target, audience, path, allow }) =>
        methods
          .filter((method) => !allow.split(", ").includes(method))
          .map((method) => {
            const expected = has(rowsOf(target), method)
              ? "404 no-endpoint"
              : `405 method-not-allowed ${allow}`;
            return { audience, method, path, expected };
          }),
      ),
      (destination, { expected }) => destination === expected,
    );
  });

  it("that a path has is named in Allow, as is HEAD beside GET unless the operation refuses it", () => {
    const wrong = open.filter(({ target, allow }) => {
      const [rows, allowed] = [rowsHere(target), allow.split(", ")];
      const refusesHead = rows.some((row) => row.refusesHead);
      const takesHead = has(rows, "HEAD") || (allowed.includes("GET") && !refusesHead);
      return !rows.every(({ method }) => allowed.includes(method)) || allowed.includes("HEAD") !== takesHead;
    });
    expect(wrong.map(({ path, allow }) => `${path} allows ${allow}`)).toEqual([]);
  });

  it("HEAD leads where GET does, unless the operation refuses it", () => {
    const readable = targets.filter(
      (target) => target.route.method === "GET" && !has(rowsHere(target), "HEAD"),
    );
    expectDestinations(
      readable.map(({ audience, path, route: { refusesHead } }) => ({
        audience,
        method: "HEAD",
        path,
        refusesHead,
      })),
      (destination, { audience, path, refusesHead }) =>
        refusesHead
          ? isRefused(destination)
          : destination === destinationOf({ audience, method: "GET", path }),
    );
  });
});

describe("a path", () => {
  const greedyPaths = operationTargets.flatMap(({ route }) => (route.takesRest ? [route.path] : []));

  /** Paths that a careless parser would take for that of an operation. */
  function lookalikesOf({ route, path }: Target): string[] {
    const withCapital = path.replace(/[a-z](?=[^/]*$)/, (letter) => letter.toUpperCase());
    const slash = route.allowsTrailingSlash ? [] : [`${path}/`];
    const below = [`${path}//`, `${path}/x/y/z`, `${path};a=b/x`, `${path}/%2e%2e/x`, `${path}/..${path}/..`];
    return [
      // The rest of the path may belong to a parameter that takes all of it.
      ...(greedyPaths.some((greedy) => greedy.startsWith(route.path)) ? [] : [...slash, ...below]),
      ...(route.params ? [] : [withCapital, `${path}%00`, `${path}%zz`, `${path}%2F`, `${path}x`]),
    ].filter((one) => one !== path);
  }

  it("that only resembles the path of an operation does not lead to the operation", () => {
    expectDestinations(
      operationTargets.flatMap((target) =>
        lookalikesOf(target).map((path) => {
          const { operationId, audience, route } = target;
          return { operationId, audience, method: route.method, path };
        }),
      ),
      // It can be the path of another operation, which has a parameter there.
      (destination, { operationId }) =>
        /^\d/.test(destination) ? isRefused(destination) : destination !== operationId,
    );
  });

  it("with two slashes in front leads nowhere, however they are written", () => {
    expectDestinations(
      described.flatMap(({ audience, target: { route }, path }) =>
        [`/${path}`, `/%2F${path.slice(1)}`].map((one) => ({ audience, method: route.method, path: one })),
      ),
      isRefused,
    );
  });

  it("that no operation has leads nowhere, however it is written", () => {
    const written = [
      "//",
      "/%00",
      "/x".repeat(2000),
      `/${"x".repeat(6000)}`,
      "/../..",
      "/\\",
      "/*",
      "/i",
      "/i/",
      "/v8/v8/self",
      "/I/status",
    ];
    expectDestinations(
      written.map((path) => ({ audience: "public", method: "GET", path })),
      isNoEndpoint,
    );
  });
});
