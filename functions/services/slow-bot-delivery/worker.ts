import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "services",
  name: "slow-bot-delivery",
  summary: "Calls events out to the services of bots that are slow or fail, and removes bots that are gone",
  audit: {
    none: "It delivers, and removes bots whose services are gone; the members of the conversation are told.",
  },
  trigger: { queue: "slow-bot-events" },
  tables: {
    accounts: "write",
    conversations: "write",
    notifications: "read",
    outbox: "write",
    services: "write",
  },
  sends: ["erasures", "events"],
};
