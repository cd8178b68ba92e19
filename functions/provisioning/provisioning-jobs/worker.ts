import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "provisioning",
  name: "provisioning-jobs",
  summary: "Deletes the users of identity providers that are removed with them",
  trigger: { queue: "provisioning-jobs" },
  tables: { accounts: "write", outbox: "write", teams: "write" },
  sends: ["events", "provisioning-jobs"],
};
