import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const notifications: Family = {
  name: "notifications",
  summary: "Stored notifications of users, their devices and teams",
  routes,
  tables: { accounts: "read", clients: "write", notifications: "read", sockets: "write" },
  secrets: ["verification-keys"],
};
