import * as z from "zod";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { uuid } from "#shared/platform/http/wire-types.ts";

const settings = z
  .object({
    default_sso_code: uuid
      .nullable()
      .meta({ description: "Id of the identity provider that clients offer to everybody, or null" }),
  })
  .meta({ id: "SsoSettings", examples: [{ default_sso_code: "0b5a4f8e-6f0c-4c5e-9d6f-3f1a2b4c5d6e" }] });

export const routes = defineRoutes({
  "sso-settings": {
    method: "GET",
    path: "/sso/settings",
    auth: "none",
    summary: "Get the identity provider that clients offer to everybody",
    responses: { 200: settings },
    errors: [],
  },
  "i-put-sso-settings": {
    method: "PUT",
    audit: "identity-provider.changed",
    path: "/i/sso/settings",
    auth: "internal",
    summary: "Choose the identity provider that clients offer to everybody",
    description: "Null for none. Removing the identity provider also resets this.",
    body: settings,
    responses: { 200: null },
    errors: ["not-found"],
  },
});
