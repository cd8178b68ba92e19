import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "services",
  name: "service-jobs",
  summary:
    "Deletes services and providers, and removes the bots of services from the conversations of teams that no longer " +
    "admit them",
  audit: { none: "It goes on with what a request has recorded." },
  trigger: { queue: "service-jobs" },
  tables: { accounts: "write", conversations: "write", outbox: "write", services: "write" },
  sends: ["erasures", "events", "service-jobs"],
};
