import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "events",
  name: "socket-floods",
  summary: "Closes sockets whose clients send far more frames than they need",
  audit: { none: "It keeps the service running, on nobody's behalf." },
  trigger: { socketLog: true },
  tables: { notifications: "write", sockets: "write" },
  posts: true,
};
