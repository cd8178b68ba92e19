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
