import { defineRoutes } from "#shared/http/route.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  "get-calls-config-v2": {
    method: "GET",
    path: "/calls/config/v2",
    auth: "user",
    summary: "Servers for calls, with credentials",
    query: schemas.limitQuery,
    responses: { 200: schemas.callConfig },
    errors: ["no-call-servers"],
  },
  "get-calls-config": {
    method: "GET",
    path: "/calls/config",
    until: 7,
    auth: "user",
    summary: "TURN servers for calls by UDP, for old clients",
    responses: { 200: schemas.legacyCallConfig },
    errors: ["no-call-servers"],
  },
});
