import type { Worker } from "#shared/family.ts";

export const websocket: Worker = {
  name: "websocket",
  summary: "Opens, reads and closes the sockets of clients",
  trigger: { sockets: true },
  tables: { clients: "write", notifications: "write", sockets: "write" },
  sends: ["events"],
  secrets: ["verification-keys"],
  posts: true,
};
