import * as z from "zod";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { queryFlag, uuid } from "#shared/platform/http/wire-types.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { pageSize, providerId, serviceId, servicePage } from "../schemas.ts";

const teamPath = z.object({ tid: uuid.meta({ description: "Id of the team" }) });

const whitelistChange = z
  .object({
    provider: providerId,
    id: serviceId,
    whitelisted: z.boolean().meta({ description: "Whether the team is to admit the service" }),
  })
  .meta({
    id: "UpdateServiceWhitelist",
    examples: [
      {
        provider: "2c1d7e90-53a4-4b1f-8f4e-0d6c7b8a9e21",
        id: "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60",
        whitelisted: true,
      },
    ],
  });

const whitelistQuery = z.object({
  prefix: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .meta({ description: "Beginning of the name, in upper or lower case" }),
  filter_disabled: queryFlag
    .optional()
    .meta({ description: "Whether to leave out services that are not enabled; they are by default" }),
  size: pageSize,
});

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
    params: teamPath,
    body: whitelistChange,
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
    params: teamPath,
    query: whitelistQuery,
    responses: { 200: servicePage },
    errors: ["insufficient-permissions"],
  },
});
