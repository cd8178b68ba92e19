import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "events",
  name: "fan-out",
  summary:
    "Hands events on to the shards of their recipients, to bots and to the queue for Cells, and starts sockets on " +
    "device queues",
  audit: { none: "It delivers what others have caused." },
  trigger: { queue: "events" },
  tables: { connections: "read", outbox: "write", notifications: "write", sockets: "write", teams: "read" },
  sends: ["bot-events", "cells-events", "deliveries", "socket-closures"],
  posts: true,
};
