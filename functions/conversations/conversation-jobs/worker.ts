import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "conversations",
  name: "conversation-jobs",
  summary:
    "Erases deleted conversations, adds and removes members after large commits, proposes to MLS groups to remove " +
    "devices, and removes members whom a conversation no longer admits or legal hold keeps apart",
  trigger: { queue: "conversation-jobs" },
  tables: { accounts: "read", conversations: "write", outbox: "write", teams: "read" },
  sends: ["conversation-jobs", "events"],
  secrets: ["mls-removal-seed"],
};
