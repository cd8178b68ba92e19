import { families } from "#functions/families.ts";
import type { Audience } from "#lib/gateway-routes.ts";
import type { Auth, Route } from "#shared/platform/http/route.ts";
import { newestVersion } from "#shared/platform/http/versions.ts";
import { samplePath } from "./sample.ts";

/** An operation under one version prefix. */
export interface Target {
  readonly name: string;
  readonly operationId: string;
  readonly family: string;
  readonly route: Route;
  /** The API that has it; the internal one also has all that is public, except our own pages. */
  readonly audience: Audience;
  /** Empty for a path without a version. */
  readonly prefix: string;
  /** With the smallest valid parameters. */
  readonly path: string;
}

/** The newest version that clients use. */
const newestReleased = newestVersion - 1;

/** The versions that have an operation; our own pages and internal operations have none. */
export const versionsOf = ({
  auth,
  isForBrowsersOnly,
  since = 0,
  until = newestVersion,
}: Route): readonly number[] =>
  auth === "internal" || isForBrowsersOnly
    ? []
    : Array.from({ length: until - since + 1 }, (_, index) => since + index);

function targetsOf(family: string, operationId: string, route: Route): Target[] {
  const versions = versionsOf(route);
  const released = versions.filter((version) => version <= newestReleased);
  const named = [versions[0], released.at(-1) ?? versions.at(-1)].filter((version) => version !== undefined);
  return ["", ...new Set(named.map((version) => `/v${version}`))].map((prefix) => {
    const path = prefix + samplePath(route);
    const audience = route.auth === "internal" ? "internal" : "public";
    const name = `${operationId} at ${route.method} ${path}`;
    return { name, operationId, family, route, audience, prefix, path };
  });
}

/** Each operation without a prefix, under its first version, and under the newest that clients use. */
export const targets: readonly Target[] = families.flatMap(({ name, routes }) =>
  Object.entries(routes).flatMap(([operationId, route]) => targetsOf(name, operationId, route)),
);

/** Each operation under one path: the prefix makes no difference to anything after the path. */
export const operationTargets: readonly Target[] = [
  ...new Map(targets.map((target) => [target.route, target])).values(),
];

/** Whether an operation takes a token that the service has signed. */
export const isSigned = (auth: Auth): auth is "user" | "provider" | "bot" =>
  auth === "user" || auth === "provider" || auth === "bot";
