import { supportedProtocols } from "#shared/data/account/account.ts";
import { defineRoutes, type Route } from "#shared/http/route.ts";
import { emptyList } from "#shared/schemas/primitives.ts";
import { userProfile } from "#shared/schemas/user-profile.ts";
import * as schemas from "./schemas.ts";

const user = { method: "GET", auth: "user" } as const;

const listing = {
  method: "POST",
  path: "/list-users",
  auth: "user",
  summary: "Get the profiles of users, by id or handle",
  body: schemas.listUsers,
  bodyLimit: 256 * 1024,
} as const satisfies Partial<Route>;

const handleCheck = {
  method: "HEAD",
  auth: "user",
  summary: "Tell whether a handle is taken",
  params: schemas.candidatePath,
  responses: { 200: emptyList },
  errors: ["invalid-handle", "not-found"],
} as const satisfies Partial<Route>;

const handleChoice = {
  method: "POST",
  auth: "user",
  summary: "Pick handles that are free",
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
    params: schemas.qualifiedUserPath,
    responses: { 200: userProfile },
    errors: ["federation-not-enabled", "not-found"],
  },
  "get-user-unqualified": {
    ...user,
    path: "/users/{uid}",
    until: 1,
    summary: "Get the profile of a user",
    params: schemas.userPath,
    responses: { 200: userProfile },
    errors: ["not-found"],
  },
  "list-users-by-unqualified-ids-or-handles": {
    ...user,
    path: "/users",
    until: 1,
    summary: "Get the profiles of users, by id or handle",
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
    summary: "Get the protocols that a user's devices understand",
    params: schemas.qualifiedUserPath,
    responses: { 200: supportedProtocols },
    errors: ["federation-not-enabled", "not-found"],
  },
  "get-rich-info": {
    ...user,
    path: "/users/{uid}/rich-info",
    summary: "Get the rich info of a member of the own team",
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
    errors: ["federation-not-enabled", "not-found"],
  },
});
