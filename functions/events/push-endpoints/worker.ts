import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "events",
  name: "push-endpoints",
  summary: "Deletes endpoints of push tokens that nobody uses, and removes the tokens of those that are gone",
  audit: { none: "It keeps the service running, on nobody's behalf." },
  trigger: { queue: "push-endpoints" },
  tables: { outbox: "write", sockets: "write" },
  sends: ["events", "push-endpoints"],
  pushes: ["release"],
};
