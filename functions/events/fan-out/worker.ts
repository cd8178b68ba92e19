import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "events",
  name: "fan-out",
  summary: "Stores events for their recipients and posts them to open sockets",
  trigger: { queue: "events" },
  tables: { connections: "read", outbox: "write", notifications: "write", sockets: "write" },
  posts: true,
};
