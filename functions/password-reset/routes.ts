import { defineRoutes } from "#shared/http/route.ts";
import { addressQuery } from "#shared/schemas/primitives.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  "post-password-reset": {
    method: "POST",
    path: "/password-reset",
    auth: "none",
    summary: "Ask for a code that allows a new password",
    body: schemas.requestReset,
    responses: { 201: null },
    errors: ["invalid-email", "invalid-phone", "code-exists", "too-many-requests"],
  },
  "post-password-reset-complete": {
    method: "POST",
    path: "/password-reset/complete",
    auth: "none",
    summary: "Set a new password by code",
    body: schemas.completeReset,
    responses: { 200: null },
    errors: ["invalid-email", "invalid-phone", "reset-code-rejected", "password-must-differ"],
  },
  "post-password-reset-key-deprecated": {
    method: "POST",
    path: "/password-reset/{key}",
    until: 7,
    auth: "none",
    summary: "Set a new password by code, with the key in the path",
    params: schemas.keyPath,
    body: schemas.completeResetByKey,
    responses: { 200: null },
    errors: ["reset-code-rejected", "password-must-differ"],
  },
  "i-get-password-reset-code": {
    method: "GET",
    path: "/i/users/password-reset-code",
    auth: "internal",
    summary: "Look up a pending password reset",
    query: addressQuery,
    responses: { 200: schemas.pendingReset },
    errors: ["invalid-email", "invalid-phone", "no-password-reset"],
  },
});
