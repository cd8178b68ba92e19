import { defineRoutes, type Route } from "#shared/http/route.ts";
import { addressQuery } from "#shared/schemas/primitives.ts";
import * as schemas from "./schemas.ts";

const blockList = {
  path: "/i/users/blacklist",
  auth: "internal",
  query: addressQuery,
  responses: { 200: null },
} as const satisfies Partial<Route>;

const status = { path: "/i/users/{uid}/status", auth: "internal", params: schemas.userPath } as const;

export const routes = defineRoutes({
  "i-get-user-status": {
    ...status,
    method: "GET",
    summary: "Get the status of an account",
    responses: { 200: schemas.currentStatus },
    errors: ["not-found"],
  },
  "i-put-user-status": {
    ...status,
    method: "PUT",
    summary: "Suspend an account, which revokes its cookies, or resume it",
    body: schemas.newStatus,
    responses: { 200: null },
    errors: ["invalid-status", "not-found"],
  },
  "i-delete-user": {
    method: "DELETE",
    path: "/i/users/{uid}",
    auth: "internal",
    summary: "Delete an account",
    params: schemas.userPath,
    responses: { 202: null, 200: null },
    errors: ["not-found"],
  },
  "i-get-users": {
    method: "GET",
    path: "/i/users",
    auth: "internal",
    summary: "Get accounts by ids, by handles, or by an address or number",
    query: schemas.accountsQuery,
    responses: { 200: schemas.accountList },
    errors: ["invalid-email", "invalid-phone"],
  },
  "i-put-rich-info": {
    method: "PUT",
    path: "/i/users/{uid}/rich-info",
    auth: "internal",
    summary: "Replace the rich info of a user",
    params: schemas.userPath,
    body: schemas.newRichInfo,
    bodyLimit: 256 * 1024,
    responses: { 200: null },
    errors: ["not-found", "rich-info-too-large"],
  },
  "i-get-blacklist": {
    ...blockList,
    method: "GET",
    summary: "Tell whether an address or number is blocked",
    errors: ["invalid-email", "invalid-phone", "not-found"],
  },
  "i-post-blacklist": {
    ...blockList,
    method: "POST",
    summary: "Block an address or number",
    errors: ["invalid-email", "invalid-phone"],
  },
  "i-delete-blacklist": {
    ...blockList,
    method: "DELETE",
    summary: "Unblock an address or number",
    errors: ["invalid-email", "invalid-phone"],
  },
});
