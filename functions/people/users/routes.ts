import { supportedProtocols } from "#shared/accounts/account.ts";
import { userProfile } from "#shared/accounts/profiles/user-profile.ts";
import { localDomain } from "#shared/platform/http/local-domain.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { emptyList } from "#shared/platform/http/wire-types.ts";
import * as schemas from "./schemas.ts";

const user = { method: "GET", auth: "user", allowsLegalHold: true } as const;

const listing = {
  method: "POST",
  path: "/list-users",
  auth: "user",
  summary: "Get the profiles of several users",
  description: "Unknown users are left out.",
  body: schemas.listUsers,
  bodyLimit: 256 * 1024,
} as const satisfies Partial<Route>;

const handleCheck = {
  method: "HEAD",
  auth: "user",
  summary: "Check whether a handle is taken",
  description: "200 if it is taken, 404 if it is free.",
  params: schemas.candidatePath,
  responses: { 200: emptyList },
  errors: ["invalid-handle", "not-found"],
} as const satisfies Partial<Route>;

const handleChoice = {
  method: "POST",
  auth: "user",
  summary: "List which of several handles are free",
  description: "Reserved and malformed ones are left out.",
  body: schemas.checkHandles,
  responses: { 200: schemas.handles },
  errors: [],
} as const satisfies Partial<Route>;

const handleLookup = {
  ...user,
  until: 1,
  summary: "Get the id of the user who has a handle",
  responses: { 200: schemas.handleOwner },
} as const;

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
  },
  "get-user-unqualified": {
    ...user,
    path: "/users/{uid}",
    until: 1,
    summary: "Get the profile of a user",
    description: "For a deleted user, only a placeholder with `deleted` set remains.",
    params: schemas.userPath,
    responses: { 200: userProfile },
    errors: ["not-found"],
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
  "list-users-by-ids-or-handles-v3": {
    ...listing,
    until: 3,
    responses: { 200: schemas.profiles },
    errors: ["federation-not-enabled", "not-found"],
  },
  "list-users-by-ids-or-handles": {
    ...listing,
    since: 4,
    responses: { 200: schemas.listedUsers },
    errors: ["federation-not-enabled"],
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
  "check-user-handle": { ...handleCheck, path: "/handles/{handle}", since: 7 },
  "check-user-handle-v6": { ...handleCheck, path: "/users/handles/{handle}", until: 6 },
  "check-user-handles": { ...handleChoice, path: "/handles", since: 7 },
  "check-user-handles-v6": { ...handleChoice, path: "/users/handles", until: 6 },
  "get-handle-info-unqualified": {
    ...handleLookup,
    path: "/users/handles/{handle}",
    params: schemas.handlePath,
    errors: ["not-found"],
  },
  "get-user-by-handle-qualified": {
    ...handleLookup,
    path: "/users/by-handle/{domain}/{handle}",
    params: schemas.qualifiedHandlePath,
    requires: [localDomain("domain")],
    errors: ["not-found"],
  },
});
