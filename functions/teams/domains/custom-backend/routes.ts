import * as z from "zod";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { httpsUrl } from "#shared/platform/http/wire-types.ts";
import { domainPath } from "../schemas.ts";

const customBackend = z
  .object({
    config_json_url: httpsUrl.meta({ description: "URL of the backend's configuration" }),
    webapp_welcome_url: httpsUrl.meta({ description: "URL of the backend's web client" }),
  })
  .meta({
    id: "CustomBackend",
    examples: [
      {
        config_json_url: "https://backend.example.com/config.json",
        webapp_welcome_url: "https://app.example.com",
      },
    ],
  });

const path = "/i/custom-backend/by-domain/{domain}";

export const routes = defineRoutes({
  "get-custom-backend-by-domain": {
    method: "GET",
    path: "/custom-backend/by-domain/{domain}",
    auth: "none",
    summary: "Find the backend for people of an email domain",
    description: "Does not depend on how the domain is registered.",
    params: z.object({
      domain: z.string().meta({ description: "Email domain; upper and lower case count as the same" }),
    }),
    responses: { 200: customBackend },
    errors: ["custom-backend-not-found"],
  },
  "i-put-custom-backend": {
    method: "PUT",
    audit: "domain.changed",
    path,
    auth: "internal",
    summary: "Set the backend for people of an email domain",
    params: domainPath,
    body: customBackend,
    responses: { 201: null },
    errors: [],
  },
  "i-delete-custom-backend": {
    method: "DELETE",
    audit: "domain.changed",
    path,
    auth: "internal",
    summary: "Remove the backend for people of an email domain",
    description: "Succeeds even if there is none.",
    params: domainPath,
    responses: { 200: null },
    errors: [],
  },
});
