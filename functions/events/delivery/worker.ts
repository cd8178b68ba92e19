import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "events",
  name: "delivery",
  summary: "Stores events in the logs of their recipients and posts them to open sockets",
  trigger: { queue: "deliveries" },
  tables: { notifications: "write", outbox: "write", sockets: "write", teams: "read" },
  posts: true,
};
