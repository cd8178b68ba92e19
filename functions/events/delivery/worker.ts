import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "events",
  name: "delivery",
  summary:
    "Stores events in the logs of their recipients, posts them to open sockets, and decides which devices " +
    "to wake",
  audit: { none: "It delivers what others have caused." },
  trigger: { queue: "deliveries" },
  tables: {
    notifications: "write",
    outbox: "write",
    "rate-limits": "write",
    sockets: "write",
    teams: "read",
  },
  sends: ["native-pushes"],
  posts: true,
};
