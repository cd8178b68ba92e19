import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "services",
  name: "slow-bot-delivery",
  summary: "Calls events out to the services of bots that take their time",
  audit: { none: "It delivers what others have caused." },
  trigger: { queue: "slow-bot-events" },
  tables: { notifications: "read", services: "write" },
  sends: ["failing-bot-events"],
};
