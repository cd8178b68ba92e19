import type { Family } from "#shared/platform/manifest.ts";
import { routes } from "./routes.ts";

export const family: Family = {
  domain: "conversations",
  name: "conversations",
  summary: "Conversations, their members, guest links, messages and MLS groups",
  routes,
  tables: {
    accounts: "write",
    clients: "read",
    connections: "read",
    conversations: "write",
    "key-packages": "read",
    outbox: "write",
    "rate-limits": "write",
    services: "write",
    switches: "read",
    teams: "read",
    audit: "record",
  },
  firstReads: ["clients/devices", "conversations/conversation", "conversations/member"],
  sends: ["conversation-jobs", "erasures", "events"],
  secrets: ["guest-link-key", "mls-removal-seed", "verification-keys"],
};
