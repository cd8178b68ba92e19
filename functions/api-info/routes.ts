import { defineRoutes } from "#shared/http/route.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
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
    summary: "Get the API document of the version in the path, of the newest without one",
    responses: { 200: schemas.openapiDocument },
    errors: [],
  },
  "get-docs": {
    method: "GET",
    path: "/api/docs",
    auth: "none",
    summary: "Read the API document in a browser",
    responses: { 200: { contentType: "text/html;charset=utf-8" } },
    errors: [],
  },
  "get-docs-asset": {
    method: "GET",
    path: "/api/docs/{file}",
    auth: "none",
    summary: "Script and style of the API document's page",
    params: schemas.docsAssetPath,
    responses: { 200: { contentType: "text/plain" } },
    errors: [],
  },
  "i-get-status": {
    method: "GET",
    path: "/i/status",
    auth: "internal",
    summary: "Tell that the service is up",
    responses: { 200: null },
    errors: [],
  },
});
