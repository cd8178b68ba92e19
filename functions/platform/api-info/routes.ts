import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { routes as accountSite } from "./account-site/routes.ts";
import { routes as guestLink } from "./guest-link/routes.ts";
import { routes as guides } from "./guides/routes.ts";
import { routes as home } from "./home/routes.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  ...accountSite,
  ...guestLink,
  ...guides,
  ...home,
  "get-version": {
    method: "GET",
    path: "/api-version",
    auth: "none",
    summary: "List the API versions",
    responses: { 200: schemas.versionInfo },
    errors: [],
  },
  "get-openapi": {
    method: "GET",
    path: "/api/openapi.json",
    auth: "none",
    summary: "Get this document",
    description: "For the version in the path, or the newest one if the path has none.",
    compresses: true,
    responses: { 200: schemas.openapiDocument },
    errors: [],
  },
  "get-docs": {
    method: "GET",
    path: "/api/docs",
    auth: "none",
    summary: "Show this document in a browser",
    responses: { 200: { contentType: "text/html;charset=utf-8" } },
    errors: [],
  },
  "get-docs-asset": {
    method: "GET",
    path: "/api/docs/{file}",
    auth: "none",
    summary: "Get a script or style of the page that shows this document",
    params: schemas.docsAssetPath,
    compresses: true,
    responses: { 200: { contentType: "text/*" } },
    errors: [],
  },
  "i-get-openapi": {
    method: "GET",
    audit: unaudited.impersonal,
    path: "/i/openapi.json",
    auth: "internal",
    summary: "Get this document",
    compresses: true,
    responses: { 200: schemas.openapiDocument },
    errors: [],
  },
  "i-get-docs": {
    method: "GET",
    audit: unaudited.impersonal,
    path: "/i/docs",
    auth: "internal",
    summary: "Show this document in a browser",
    responses: { 200: { contentType: "text/html;charset=utf-8" } },
    errors: [],
  },
  "i-get-docs-asset": {
    method: "GET",
    audit: unaudited.impersonal,
    path: "/i/docs/{file}",
    auth: "internal",
    summary: "Get a script or style of the page that shows this document",
    params: schemas.internalDocsAssetPath,
    compresses: true,
    responses: { 200: { contentType: "text/*" } },
    errors: [],
  },
  "i-get-status": {
    method: "GET",
    audit: unaudited.impersonal,
    path: "/i/status",
    auth: "internal",
    summary: "Check that the service is up",
    responses: { 200: null },
    errors: [],
  },
});
