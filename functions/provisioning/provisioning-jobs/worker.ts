import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "provisioning",
  name: "provisioning-jobs",
  summary: "Deletes users together with their identity provider, and tells admins of changed providers",
  audit: { none: "It goes on with what a request has recorded." },
  trigger: { queue: "provisioning-jobs" },
  tables: { accounts: "write", outbox: "write", provisioning: "write", teams: "write" },
  sends: ["erasures", "events", "mail", "provisioning-jobs", "search-index", "socket-closures"],
};
