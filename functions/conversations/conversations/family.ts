import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "conversations",
  name: "conversations",
  summary: "Conversations, their members, guest links and messages",
  routes,
  tables: { accounts: "read", conversations: "write", outbox: "write", teams: "read" },
  sends: ["conversation-jobs", "events"],
  secrets: ["verification-keys"],
};
