import { families } from "#functions/families.ts";
import type { Route } from "#shared/platform/http/route.ts";
import type { Family } from "#shared/platform/manifest.ts";
import { readPublishedInterface } from "../contract/published-interface.ts";

/** Families with planned paths, and the path prefixes that each owns; the longest prefix of a path decides. */
const growingFamilies: Readonly<Record<string, readonly string[]>> = {
  "single-sign-on": ["/sso"],
  scim: ["/scim", "/i/scim"],
  teams: ["/teams", "/upgrade-personal-to-team", "/i/teams"],
  conversations: [
    "/broadcast",
    "/conversations",
    "/legalhold",
    "/mls",
    "/one2one-conversations",
    "/teams/{}/conversations",
    "/i/conversations",
    "/i/group",
    "/i/mls-one2one-conversations",
  ],
  notifications: ["/websocket", "/i/push"],
  clients: ["/i/clients"],
  bots: ["/bot"],
  providers: ["/provider", "/i/provider"],
  services: ["/providers", "/services", "/teams/{}/services"],
  "legal-hold": ["/teams/{}/legalhold", "/i/guard-legalhold-policy-conflicts", "/i/legalhold"],
  // The remaining operation of the older path refuses every request.
  "key-packages": ["/i/mls", "/mls/welcome"],
  "account-admin": ["/i/user", "/i/users"],
};

/** Planned paths that the published versions lack: those of older versions, and those of separate protocols. */
const olderPaths = [
  "/conversations/one2one",
  "/conversations/one2one/{domain}/{uid}",
  "/conversations/{cid}/bots",
  "/conversations/{cid}/bots/{bot}",
  "/conversations/{cid}/join",
  "/conversations/{cid}/members",
  "/conversations/{cid}/members/v2",
  "/conversations/{cid}/members/{uid}",
  "/mls/welcome",
  "/scim/v2/Users",
  "/scim/v2/Users/{id}",
  "/websocket",
];

const internalPaths = [
  "/i/clients",
  "/i/clients/full",
  "/i/clients/{uid}",
  "/i/clients/{uid}/{client}/activity",
  "/i/conversations/connect",
  "/i/conversations/one2one/upsert",
  "/i/conversations/{cid}/accept/v2",
  "/i/conversations/{domain}/{cid}/block",
  "/i/conversations/{domain}/{cid}/unblock",
  "/i/group/{gid}",
  "/i/guard-legalhold-policy-conflicts",
  "/i/legalhold/whitelisted-teams",
  "/i/legalhold/whitelisted-teams/{tid}",
  "/i/mls-one2one-conversations/{domain}/{uid}",
  "/i/mls-one2one-conversations/{domain}/{uid}/established",
  "/i/mls/client/{uid}/{client}",
  "/i/mls/clients/{uid}",
  "/i/provider/activation-code",
  "/i/provider/password-reset-code",
  "/i/push/v2",
  "/i/scim/userinfo/{uid}",
  "/i/teams/{tid}/search-visibility",
  "/i/user",
  "/i/users/connections-status",
  "/i/users/connections-status/v2",
  "/i/users/revoke-identity",
  "/i/users/{uid}/contacts",
  "/i/users/{uid}/export-data",
];

const nameless = (path: string) => path.replaceAll(/\{[^}]*\}/g, "{}");

const builtPaths = new Map(
  families.flatMap(({ name, routes }) =>
    Object.values(routes).map(({ path }): [string, string] => [nameless(path), name]),
  ),
);

const owners = new Map(
  Object.entries(growingFamilies).flatMap(([name, prefixes]) =>
    prefixes.map((prefix): [string, string] => [prefix, name]),
  ),
);

/** Name of the function that a path belongs to, whatever the method. */
export function ownerOf(path: string): string | undefined {
  const built = builtPaths.get(nameless(path));
  if (built !== undefined) return built;
  const segments = nameless(path).split("/");
  const prefixes = segments.map((_, index) => segments.slice(0, segments.length - index).join("/"));
  return prefixes.map((prefix) => owners.get(prefix)).find((owner) => owner !== undefined);
}

/** Every path of the whole interface, including those of existing families. */
export const allPaths: readonly string[] = [
  ...new Set([
    ...families.flatMap(({ routes }) => Object.values(routes).map(({ path }) => path)),
    ...readPublishedInterface().map(({ path }) => path),
    ...olderPaths,
    ...internalPaths,
  ]),
];

/** The families of the whole interface: the existing ones with the operations that they lack. */
export function familiesAtFullSize(): Family[] {
  const missing = allPaths.filter((path) => !builtPaths.has(nameless(path)));
  const missingRoutes = (name: string) =>
    Object.fromEntries(
      missing.filter((path) => ownerOf(path) === name).map((path) => [`ANY ${path}`, rowOf(path)]),
    );
  return families.map((family) => ({
    ...family,
    routes: { ...family.routes, ...missingRoutes(family.name) },
  }));
}

const rowOf = (path: string): Route => ({
  method: "GET",
  path,
  auth: path.startsWith("/i/") ? "internal" : "user",
  summary: path,
  responses: { 200: null },
  errors: [],
});
