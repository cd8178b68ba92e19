import type { Family } from "#shared/family.ts";
import { routes } from "./routes.ts";

export const accountAdmin: Family = {
  name: "account-admin",
  summary: "Internal administration of accounts and the block-list",
  routes,
  tables: { accounts: "write", outbox: "write" },
  sends: ["events", "search-index", "erasures"],
};
