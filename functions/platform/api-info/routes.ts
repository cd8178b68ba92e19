import * as z from "zod";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { anyObject } from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { routes as accountSite } from "./account-site/routes.ts";
import { routes as guestLink } from "./guest-link/routes.ts";
import { routes as guides } from "./guides/routes.ts";
import { routes as home } from "./home/routes.ts";

// Not an enumeration: clients that are generated today also meet the versions of tomorrow.
const versionNumber = z.int32().nonnegative().meta({ id: "VersionNumber" });

const versionInfo = z
  .object({
    supported: z.array(versionNumber).meta({ description: "Versions to choose from" }),
    development: z.array(versionNumber).meta({ description: "Versions that still change" }),
    federation: z.boolean().meta({ description: "Whether users of other domains can be reached" }),
    domain: z.string().meta({ description: "Domain of this service in qualified ids" }),
  })
  .meta({ id: "VersionInfo" });

const openapiDocument = anyObject;

const pathOf = (files: readonly string[]) =>
  z.object({
    file: z
      .string()
      .refine((file) => files.includes(file), "no file of the page")
      .meta({ description: "Name of the file" }),
  });

const filesOfPage = ["docs.js", "docs.css"];
/** Files of the API document's pages; nothing else in their folder can be requested. */
const docsAssetPath = pathOf([
  ...filesOfPage,
  "guide.js",
  "try.html",
  "try.js",
  "swagger-ui-bundle.js",
  "swagger-ui.css",
]);
const internalDocsAssetPath = pathOf(filesOfPage);

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
    responses: { 200: versionInfo },
    errors: [],
  },
  "get-openapi": {
    method: "GET",
    path: "/api/openapi.json",
    auth: "none",
    summary: "Get this document",
    description: "For the version in the path, or the newest one if the path has none.",
    compresses: true,
    responses: { 200: openapiDocument },
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
    params: docsAssetPath,
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
    responses: { 200: openapiDocument },
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
    params: internalDocsAssetPath,
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
