import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "events",
  name: "socket-closer",
  summary:
    "Closes sockets that have lost their cookie or device, have expired, or are too many; removes push tokens of removed devices",
  audit: { none: "It goes on with what a request has recorded." },
  trigger: { queue: "socket-closures" },
  tables: { accounts: "read", notifications: "write", outbox: "write", sockets: "write" },
  sends: ["push-endpoints", "socket-closures"],
  posts: true,
};
