import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "events",
  name: "native-push",
  summary: "Wakes devices that are not connected, through their push providers",
  audit: { none: "It delivers what others have caused." },
  trigger: { queue: "native-pushes" },
  tables: { outbox: "write", sockets: "write" },
  sends: ["events", "push-endpoints"],
  pushes: ["wake"],
};
