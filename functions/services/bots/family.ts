import type { Family } from "#shared/platform/manifest.ts";
import { routes as botApi } from "./bot-api/routes.ts";
import { routes as conversationBots } from "./conversation-bots/routes.ts";

export const routes = { ...conversationBots, ...botApi };

export const family: Family = {
  domain: "services",
  name: "bots",
  summary: "Bots in conversations, and the interface that bots use",
  routes,
  tables: {
    accounts: "write",
    clients: "write",
    conversations: "write",
    outbox: "write",
    "rate-limits": "write",
    services: "write",
    switches: "read",
    teams: "read",
    audit: "record",
  },
  sends: ["erasures", "events"],
  secrets: ["signing-keys", "verification-keys"],
};
