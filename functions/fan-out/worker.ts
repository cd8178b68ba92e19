import type { Worker } from "#shared/family.ts";

export const fanOut: Worker = {
  name: "fan-out",
  summary: "Stores events for their recipients and posts them to open sockets",
  trigger: { queue: "events" },
  tables: { connections: "read", outbox: "write", notifications: "write", sockets: "write" },
  posts: true,
};
