import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "conversations",
  name: "conversation-jobs",
  summary: "Erases what is stored of deleted conversations",
  trigger: { queue: "conversation-jobs" },
  tables: { conversations: "write", outbox: "write" },
};
