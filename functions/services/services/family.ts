import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "services",
  name: "services",
  summary: "Services of providers, the directory of services, and which services teams admit",
  routes,
  tables: { accounts: "write", outbox: "write", services: "write", teams: "read", audit: "record" },
  sends: ["service-jobs"],
  secrets: ["code-key", "verification-keys"],
};
