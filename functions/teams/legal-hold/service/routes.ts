import { defineRoutes } from "#shared/platform/http/route.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { teamPath } from "../schemas.ts";
import * as schemas from "./schemas.ts";

const settings = { path: "/teams/{tid}/legalhold/settings", auth: "user", params: teamPath } as const;

export const routes = defineRoutes({
  "create-legal-hold-settings": {
    costs: uncharged.bounded,
    ...settings,
    method: "POST",
    audit: "legal-hold.changed",
    summary: "Register the legal hold service of a team",
    description:
      "For admins and owners. The service must answer `GET /status` with a certificate for the key, which " +
      "may be self-signed. Replaces the previous service.",
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
    audit: "legal-hold.changed",
    summary: "Remove the legal hold service of a team and end legal hold for all members",
    description:
      "For admins and owners, who must give their password if they have one. Removes the members' legal " +
      "hold devices and withdraws requests for them; in a large team, some follow in the background.",
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
