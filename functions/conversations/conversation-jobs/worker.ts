import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "conversations",
  name: "conversation-jobs",
  summary:
    "Erases deleted conversations, adds and removes members after large commits, proposes to MLS groups to remove " +
    "devices, and removes members whom a conversation no longer admits or legal hold keeps apart, and bots",
  audit: { none: "It goes on with what a request has recorded." },
  trigger: { queue: "conversation-jobs" },
  tables: {
    accounts: "write",
    clients: "read",
    conversations: "write",
    outbox: "write",
    services: "write",
    teams: "read",
  },
  sends: ["conversation-jobs", "erasures", "events"],
  secrets: ["mls-removal-seed"],
};
