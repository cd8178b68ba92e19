import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "accounts",
  name: "account-admin",
  summary: "Internal administration of accounts and the block-list",
  routes,
  tables: { accounts: "write", outbox: "write", teams: "write" },
  sends: ["events", "search-index", "erasures", "socket-closures"],
};
