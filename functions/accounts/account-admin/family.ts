import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "accounts",
  name: "account-admin",
  summary: "Internal administration of accounts, the block-list, suppressed addresses and the search index",
  routes,
  tables: {
    accounts: "write",
    outbox: "write",
    search: "read",
    teams: "write",
    "mail-suppressions": "write",
    audit: "record",
  },
  lists: ["accounts", "mail-suppressions"],
  sends: ["events", "search-index", "erasures", "socket-closures"],
};
