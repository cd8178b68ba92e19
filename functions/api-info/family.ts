import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const apiInfo: Family = {
  name: "api-info",
  summary: "API versions, API document, health",
  routes,
};
