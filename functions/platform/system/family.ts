import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "platform",
  name: "system",
  summary: "What clients need to know about this installation",
  routes,
  secrets: ["verification-keys"],
};
