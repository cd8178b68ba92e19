import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "accounts",
  name: "erasure",
  summary: "Removes what belonged to deleted accounts",
  audit: { none: "It goes on with what a request has recorded." },
  trigger: { queue: "erasures" },
  tables: {
    accounts: "write",
    assets: "write",
    clients: "write",
    codes: "write",
    connections: "write",
    conversations: "write",
    "key-packages": "write",
    notifications: "write",
    oauth: "write",
    outbox: "write",
    properties: "write",
    services: "write",
    sockets: "write",
    teams: "write",
  },
  lists: ["assets"],
  buckets: { assets: ["delete"] },
  sends: ["events", "search-index", "erasures", "push-endpoints", "socket-closures", "conversation-jobs"],
  secrets: ["code-key"],
};
