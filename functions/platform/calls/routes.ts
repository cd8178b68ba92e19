import { defineRoutes } from "#shared/platform/http/route.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  "get-calls-config-v2": {
    method: "GET",
    path: "/calls/config/v2",
    auth: "user",
    summary: "Get the servers for calls, with credentials",
    query: schemas.limitQuery,
    responses: { 200: schemas.callConfig },
    errors: ["no-call-servers"],
  },
  "get-calls-config": {
    method: "GET",
    path: "/calls/config",
    until: 7,
    auth: "user",
    summary: "Get the TURN servers for calls over UDP",
    description: "For old clients; `get-calls-config-v2` has all servers.",
    responses: { 200: schemas.legacyCallConfig },
    errors: ["no-call-servers"],
  },
});
