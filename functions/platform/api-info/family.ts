import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "platform",
  name: "api-info",
  summary: "API versions, API document, health, the page at the root and those of links",
  routes,
};
