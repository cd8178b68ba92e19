import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "services",
  name: "failing-bot-delivery",
  summary: "Calls events out to the services of bots that fail, and removes bots that are gone",
  trigger: { queue: "failing-bot-events" },
  tables: {
    accounts: "write",
    conversations: "write",
    notifications: "read",
    outbox: "write",
    services: "write",
  },
  sends: ["erasures", "events"],
};
