import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "services",
  name: "service-jobs",
  summary:
    "Deletes services and providers, and removes the bots of services from the conversations of teams that no longer " +
    "admit them",
  trigger: { queue: "service-jobs" },
  tables: { accounts: "write", conversations: "write", outbox: "write", services: "write" },
  sends: ["erasures", "events", "service-jobs"],
};
