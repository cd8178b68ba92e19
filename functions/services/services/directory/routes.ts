import * as z from "zod";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { commaSeparated } from "#shared/platform/http/wire-types.ts";
import { providerView } from "#shared/services/provider-view.ts";
import { noSecondFactorByDefault } from "#shared/services/second-factor-guard.ts";
import { maxTags, serviceTag } from "#shared/services/service.ts";
import { pageSize, providerId, serviceId, servicePage, serviceProfile } from "../schemas.ts";

const providerPath = z.object({ pid: providerId });
const servicePath = z.object({ pid: providerId, sid: serviceId });

/** Tags, all of which a service must have. */
const conjunction = z
  .string()
  .transform((text) => text.split("."))
  .pipe(z.array(serviceTag).min(1).max(maxTags));

const directoryQuery = z
  .object({
    tags: commaSeparated(conjunction, maxTags).optional().meta({
      description:
        "Tags joined by `.`, of which a service must have all; up to three such alternatives, separated by commas",
    }),
    start: z.string().optional().meta({
      description:
        "Beginning of the name, in upper or lower case: up to 128 characters, and at least one without `tags`",
    }),
    size: pageSize,
  })
  .refine(({ tags, start }) => tags !== undefined || start !== undefined, "tags or start is needed");

const tagList = z.array(serviceTag).meta({ id: "ServiceTagList" });

export const routes = defineRoutes({
  "get-services": {
    method: "GET",
    path: "/services",
    auth: "user",
    summary: "Search the directory of services",
    description:
      "Services that are enabled, sorted by their names in lower case. Without `tags`, a service is found by the " +
      "beginning of its name.",
    query: directoryQuery,
    requires: [noSecondFactorByDefault],
    responses: { 200: servicePage },
    errors: ["client-error"],
  },
  "get-services-tags": {
    method: "GET",
    path: "/services/tags",
    auth: "user",
    summary: "List the tags that services can have",
    requires: [noSecondFactorByDefault],
    responses: { 200: tagList },
    errors: [],
  },
  "provider-get-profile": {
    method: "GET",
    path: "/providers/{pid}",
    auth: "user",
    summary: "Get the profile of a provider",
    params: providerPath,
    requires: [noSecondFactorByDefault],
    responses: { 200: providerView },
    errors: ["provider-not-found"],
  },
  "get-provider-services-by-provider-id": {
    method: "GET",
    path: "/providers/{pid}/services",
    auth: "user",
    summary: "List the services of a provider",
    description: "With those that are not enabled; none for an unknown provider.",
    params: providerPath,
    requires: [noSecondFactorByDefault],
    responses: { 200: z.array(serviceProfile) },
    errors: [],
  },
  "get-provider-services-by-provider-id-and-service-id": {
    method: "GET",
    path: "/providers/{pid}/services/{sid}",
    auth: "user",
    summary: "Get a service",
    params: servicePath,
    requires: [noSecondFactorByDefault],
    responses: { 200: serviceProfile },
    errors: ["service-not-found"],
  },
});
