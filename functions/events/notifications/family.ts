import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "events",
  name: "notifications",
  summary: "Stored notifications of users, their devices and teams",
  routes,
  tables: { accounts: "read", clients: "write", notifications: "read", sockets: "write" },
  secrets: ["verification-keys"],
};
