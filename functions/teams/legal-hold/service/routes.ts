import { defineRoutes } from "#shared/platform/http/route.ts";
import { teamPath } from "../schemas.ts";
import * as schemas from "./schemas.ts";

const settings = { path: "/teams/{tid}/legalhold/settings", auth: "user", params: teamPath } as const;

export const routes = defineRoutes({
  "create-legal-hold-settings": {
    ...settings,
    method: "POST",
    summary: "Register the legal hold service of a team",
    description:
      "For admins and owners. The service has to answer `GET /status` with a certificate that has the key; it may have " +
      "signed the certificate itself. It replaces the one before.",
    body: schemas.newService,
    responses: { 201: schemas.service },
    errors: [
      "legalhold-not-enabled",
      "not-a-team-member",
      "operation-denied",
      "legalhold-invalid-key",
      "too-many-requests",
      "legalhold-unavailable",
    ],
  },
  "get-legal-hold-settings": {
    ...settings,
    method: "GET",
    summary: "Get the legal hold service of your team",
    responses: { 200: schemas.service },
    errors: ["not-a-team-member"],
  },
  "delete-legal-hold-settings": {
    ...settings,
    method: "DELETE",
    summary: "Remove the legal hold service of a team, and with it legal hold of all members",
    description:
      "For admins and owners, who have to give their password if they have one. Their devices of legal hold are removed, " +
      "and requests for such devices are withdrawn; in a large team, some follow in the background.",
    body: schemas.removal,
    responses: { 204: null },
    errors: [
      "legalhold-disable-unimplemented",
      "legalhold-not-enabled",
      "not-a-team-member",
      "operation-denied",
      "access-denied",
      "login-budget-exhausted",
      "too-many-requests",
    ],
  },
});
