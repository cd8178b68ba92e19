import { supportedProtocols } from "#shared/accounts/account.ts";
import { userProfile } from "#shared/accounts/profiles/user-profile.ts";
import { inOwnDomain, localDomain } from "#shared/platform/http/local-domain.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { emptyList } from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { refuseOtherDomains, toProfiles } from "./older-list-users.ts";
import * as schemas from "./schemas.ts";

const user = { method: "GET", auth: "user", allowsLegalHold: true } as const;

export const routes = defineRoutes({
  "get-user-qualified": {
    ...user,
    path: "/users/{uid_domain}/{uid}",
    summary: "Get the profile of a user",
    description: "For a deleted user, only a placeholder with `deleted` set remains.",
    params: schemas.qualifiedUserPath,
    requires: [localDomain("uid_domain")],
    responses: { 200: userProfile },
    errors: ["not-found"],
    olderForms: {
      "get-user-unqualified": {
        until: 1,
        path: "/users/{uid}",
        params: schemas.userPath,
        requires: [],
        request: inOwnDomain("uid_domain"),
      },
    },
  },
  "list-users-by-unqualified-ids-or-handles": {
    ...user,
    path: "/users",
    until: 1,
    summary: "Get the profiles of several users",
    description: "Name exactly one of `ids` and `handles`. Unknown users are left out.",
    query: schemas.usersQuery,
    responses: { 200: schemas.profiles },
    errors: ["not-found"],
  },
  "list-users-by-ids-or-handles": {
    costs: uncharged.nothing,
    method: "POST",
    audit: unaudited.reading,
    path: "/list-users",
    since: 4,
    auth: "user",
    summary: "Get the profiles of several users",
    description: "Unknown users are left out.",
    body: schemas.listUsers,
    bodyLimit: 256 * 1024,
    responses: { 200: schemas.listedUsers },
    errors: ["federation-not-enabled"],
    olderForms: {
      "list-users-by-ids-or-handles-v3": {
        until: 3,
        responses: { 200: schemas.profiles },
        errors: ["federation-not-enabled", "not-found"],
        request: refuseOtherDomains,
        answer: { 200: toProfiles },
      },
    },
  },
  "get-supported-protocols": {
    ...user,
    path: "/users/{uid_domain}/{uid}/supported-protocols",
    since: 5,
    summary: "Get the protocols that all devices of a user support",
    params: schemas.qualifiedUserPath,
    requires: [localDomain("uid_domain")],
    responses: { 200: supportedProtocols },
    errors: ["not-found"],
  },
  "get-rich-info": {
    ...user,
    path: "/users/{uid}/rich-info",
    summary: "Get the rich info of a member of your team",
    description: "Rich info is what a team keeps about its members besides their profiles.",
    params: schemas.userPath,
    responses: { 200: schemas.richInfoView },
    errors: ["insufficient-permissions", "not-found"],
  },
  "check-user-handle": {
    method: "HEAD",
    path: "/handles/{handle}",
    since: 7,
    auth: "user",
    summary: "Check whether a handle is taken",
    description: "200 if it is taken, 404 if it is free.",
    params: schemas.candidatePath,
    responses: { 200: emptyList },
    errors: ["invalid-handle", "not-found"],
    olderForms: { "check-user-handle-v6": { until: 6, path: "/users/handles/{handle}" } },
  },
  "check-user-handles": {
    costs: uncharged.nothing,
    method: "POST",
    audit: unaudited.reading,
    path: "/handles",
    since: 7,
    auth: "user",
    summary: "List which of several handles are free",
    description: "Reserved and malformed ones are left out.",
    body: schemas.checkHandles,
    responses: { 200: schemas.handles },
    errors: [],
    olderForms: { "check-user-handles-v6": { until: 6, path: "/users/handles" } },
  },
  "get-user-by-handle-qualified": {
    ...user,
    path: "/users/by-handle/{domain}/{handle}",
    until: 1,
    summary: "Get the id of the user who has a handle",
    params: schemas.qualifiedHandlePath,
    requires: [localDomain("domain")],
    responses: { 200: schemas.handleOwner },
    errors: ["not-found"],
    olderForms: {
      "get-handle-info-unqualified": {
        until: 1,
        path: "/users/handles/{handle}",
        params: schemas.handlePath,
        requires: [],
        request: inOwnDomain("domain"),
      },
    },
  },
});
