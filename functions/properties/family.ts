import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const properties: Family = {
  name: "properties",
  summary: "Values that clients keep for their user",
  routes,
  tables: { accounts: "read", outbox: "write", properties: "write" },
  sends: ["events"],
  secrets: ["verification-keys"],
};
