import * as z from "zod";
import { defineRoutes, type RawBody, type Route } from "#shared/platform/http/route.ts";
import { uuid } from "#shared/platform/http/wire-types.ts";

const xml: RawBody = { contentType: "application/xml" };
const base = {
  auth: "none",
  responses: { 200: xml },
  errors: ["not-found"],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "sso-metadata": {
    ...base,
    method: "GET",
    path: "/sso/metadata",
    summary: "Get the metadata of the service, for identity providers of version 1",
  },
  "sso-team-metadata": {
    ...base,
    method: "GET",
    path: "/sso/metadata/{team}",
    summary: "Get the metadata of the service, for identity providers of a team",
    description: "Does not reveal whether the team exists.",
    params: z.object({ team: uuid.meta({ description: "Id of the team" }) }),
  },
});
