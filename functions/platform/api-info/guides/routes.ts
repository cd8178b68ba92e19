import { defineRoutes } from "#shared/platform/http/route.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  "get-docs-guides": {
    method: "GET",
    path: "/api/docs/guides",
    auth: "none",
    summary: "List the guides for developers of clients",
    compresses: true,
    responses: { 200: schemas.guideList },
    errors: [],
  },
  "get-docs-guide": {
    method: "GET",
    path: "/api/docs/guides/{guide}",
    auth: "none",
    summary: "Show a guide for developers of clients in a browser",
    params: schemas.guidePath,
    compresses: true,
    responses: { 200: { contentType: "text/*" } },
    errors: ["not-found"],
  },
});
