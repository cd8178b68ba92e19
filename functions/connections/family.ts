import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const connections: Family = {
  name: "connections",
  summary: "Connections between users",
  routes,
  tables: { accounts: "read", connections: "write", outbox: "write" },
  sends: ["events"],
  secrets: ["verification-keys"],
};
