import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "platform",
  name: "statistics",
  summary: "How much an installation is used, and what teams consume and store",
  routes,
  tables: { statistics: "write" },
};
