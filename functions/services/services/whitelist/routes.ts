import { defineRoutes } from "#shared/platform/http/route.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { servicePage } from "../schemas.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  "post-team-whitelist-by-team-id": {
    costs: uncharged.bounded,
    method: "POST",
    audit: "service.admission-changed",
    path: "/teams/{tid}/services/whitelist",
    hidesOtherMethods: true,
    auth: "user",
    summary: "Choose whether your team admits a service",
    description:
      "For admins and owners. 204 when nothing has changed. A service that is no longer admitted leaves the " +
      "conversations of the team soon after the answer.",
    params: schemas.teamPath,
    body: schemas.whitelistChange,
    responses: { 200: null, 204: null },
    errors: [
      "second-factor-required",
      "mls-services-not-allowed",
      "insufficient-permissions",
      "service-not-found",
      "too-many-services",
    ],
  },
  "get-whitelisted-services-by-team-id": {
    method: "GET",
    path: "/teams/{tid}/services/whitelisted",
    hidesOtherMethods: true,
    auth: "user",
    summary: "List the services that your team admits",
    description: "For all members. Sorted by their names in lower case.",
    params: schemas.teamPath,
    query: schemas.whitelistQuery,
    responses: { 200: servicePage },
    errors: ["insufficient-permissions"],
  },
});
