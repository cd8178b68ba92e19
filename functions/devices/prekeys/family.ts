import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "devices",
  name: "prekeys",
  summary: "Other users' devices, and the prekeys to reach them",
  routes,
  tables: { clients: "write" },
  secrets: ["verification-keys"],
};
