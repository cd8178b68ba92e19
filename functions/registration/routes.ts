import { defineRoutes } from "#shared/http/route.ts";
import { addressQuery } from "#shared/schemas/primitives.ts";
import { selfProfile } from "#shared/schemas/self-profile.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  "post-activate-send": {
    method: "POST",
    path: "/activate/send",
    auth: "none",
    summary: "Send an activation code to an e-mail address or phone number",
    body: schemas.sendActivationCode,
    responses: { 200: null },
    errors: [
      "allowlist-rejected",
      "key-exists",
      "blacklisted-email",
      "blacklisted-phone",
      "invalid-email",
      "invalid-phone",
      "too-many-requests",
    ],
  },
  "post-activate": {
    method: "POST",
    path: "/activate",
    auth: "none",
    summary: "Verify an e-mail address or phone number by its code",
    body: schemas.activate,
    responses: { 200: schemas.activated, 204: null },
    errors: ["invalid-email", "invalid-phone", "activation-code-rejected", "key-exists"],
  },
  "get-activate": {
    method: "GET",
    path: "/activate",
    auth: "none",
    summary: "Verify an e-mail address by the link in its mail",
    query: schemas.activateByLink,
    refusesHead: true,
    responses: { 200: schemas.activated, 204: null },
    errors: ["activation-code-rejected", "key-exists"],
  },
  register: {
    method: "POST",
    path: "/register",
    auth: "none",
    summary: "Create an account",
    body: schemas.newUser,
    responses: { 201: selfProfile },
    errors: [
      "user-creation-restricted",
      "ephemeral-user-creation-disabled",
      "allowlist-rejected",
      "invalid-email",
      "invalid-phone",
      "key-exists",
      "blacklisted-email",
      "blacklisted-phone",
      "missing-identity",
      "invalid-invitation-code",
      "too-many-requests",
      "activation-code-rejected",
    ],
  },
  "i-get-activation-code": {
    method: "GET",
    path: "/i/users/activation-code",
    auth: "internal",
    summary: "Look up a pending activation",
    query: addressQuery,
    responses: { 200: schemas.pendingActivation },
    errors: ["invalid-email", "invalid-phone", "no-activation-code"],
  },
});
