import { formHeaders } from "#shared/platform/html/form-origin.ts";
import { pageBody } from "#shared/platform/html/page.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { noSecondFactorByDefault } from "#shared/services/second-factor-guard.ts";
import * as schemas from "./schemas.ts";

const common = {
  auth: "none",
  requires: [noSecondFactorByDefault],
  isForBrowsersOnly: true,
  headers: formHeaders,
  errorFormat: "page",
  responseHeaders: { Location: "The next page, or the one for logging in" },
} as const satisfies Partial<Route>;
const page = { ...common, method: "GET", responses: { 200: pageBody, 303: null } } as const;
const form = {
  ...common,
  method: "POST",
  bodyFormat: "form",
  responses: { 303: null },
  errors: ["service-not-found"],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "get-provider-services-page": {
    ...page,
    path: "/provider/services/page/list",
    summary: "Show a provider the page with its services",
    query: schemas.outcomeQuery,
    errors: [],
  },
  "get-provider-new-service-page": {
    ...page,
    path: "/provider/services/page/new",
    summary: "Show the page that creates a service",
    errors: [],
  },
  "post-provider-new-service-form": {
    ...form,
    path: "/provider/services/page/new",
    audit: "service.created",
    summary: "Create a service with the form on the page",
    description: "200 is the page again, with what was typed and what is wrong with it.",
    body: schemas.newServiceForm,
    responses: { 200: pageBody, 303: null },
    errors: ["invalid-provider"],
  },
  "get-provider-service-page": {
    ...page,
    path: "/provider/services/page/one",
    summary: "Show a provider the page with one of its services, with keys and tokens",
    query: schemas.serviceQuery,
    errors: ["service-not-found"],
  },
  "post-provider-service-form": {
    ...form,
    path: "/provider/services/page/one",
    audit: "service.changed",
    summary: "Change the profile of a service with the form on the page",
    body: schemas.serviceForm,
  },
  "post-provider-connection-form": {
    ...form,
    path: "/provider/services/page/connection",
    audit: "service.changed",
    summary: "Change how a service is reached, or enable or disable it, with the form on the page",
    body: schemas.connectionForm,
  },
  "post-provider-service-deletion-form": {
    ...form,
    path: "/provider/services/page/deletion",
    audit: "service.deleted",
    summary: "Delete a service with the form on the page",
    body: schemas.deletionForm,
  },
});
