import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "services",
  name: "bot-delivery",
  summary: "Calls events out to the services of bots that answer quickly",
  audit: { none: "It delivers what others have caused." },
  trigger: { queue: "bot-events" },
  tables: { notifications: "read", services: "write" },
  sends: ["slow-bot-events"],
};
