import * as z from "zod";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { domainPath, httpsUrl } from "../schemas.ts";

const customBackend = z
  .object({
    config_json_url: httpsUrl.meta({ description: "Configuration of the backend" }),
    webapp_welcome_url: httpsUrl.meta({ description: "Web client of the backend" }),
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
    summary: "Find the backend of people with an e-mail domain",
    description: "Independent of the registration of the domain.",
    params: z.object({ domain: z.string().meta({ description: "E-mail domain, in any case" }) }),
    responses: { 200: customBackend },
    errors: ["custom-backend-not-found"],
  },
  "i-put-custom-backend": {
    method: "PUT",
    path,
    auth: "internal",
    summary: "Set the backend of people with an e-mail domain",
    params: domainPath,
    body: customBackend,
    responses: { 201: null },
    errors: [],
  },
  "i-delete-custom-backend": {
    method: "DELETE",
    path,
    auth: "internal",
    summary: "Remove the backend of people with an e-mail domain",
    description: "Also if there is none.",
    params: domainPath,
    responses: { 200: null },
    errors: [],
  },
});
