import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "events",
  name: "websocket",
  summary: "Opens, reads and closes the sockets of clients",
  audit: { none: "A socket changes nothing but what its device has read." },
  trigger: { sockets: true },
  tables: { accounts: "read", clients: "write", notifications: "write", sockets: "write" },
  sends: ["events", "socket-closures"],
  secrets: ["verification-keys"],
  posts: true,
};
