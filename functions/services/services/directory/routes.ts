import * as z from "zod";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { providerView } from "#shared/services/provider-view.ts";
import { noSecondFactorByDefault } from "#shared/services/second-factor-guard.ts";
import { servicePage, serviceProfile } from "../schemas.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  "get-services": {
    method: "GET",
    path: "/services",
    auth: "user",
    summary: "Search the directory of services",
    description:
      "Services that are enabled, sorted by their names in lower case. Without `tags`, a service is found by the " +
      "beginning of its name.",
    query: schemas.directoryQuery,
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
    responses: { 200: schemas.tagList },
    errors: [],
  },
  "provider-get-profile": {
    method: "GET",
    path: "/providers/{pid}",
    auth: "user",
    summary: "Get the profile of a provider",
    params: schemas.providerPath,
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
    params: schemas.providerPath,
    requires: [noSecondFactorByDefault],
    responses: { 200: z.array(serviceProfile) },
    errors: [],
  },
  "get-provider-services-by-provider-id-and-service-id": {
    method: "GET",
    path: "/providers/{pid}/services/{sid}",
    auth: "user",
    summary: "Get a service",
    params: schemas.servicePath,
    requires: [noSecondFactorByDefault],
    responses: { 200: serviceProfile },
    errors: ["service-not-found"],
  },
});
