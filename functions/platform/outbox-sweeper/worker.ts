import type { Worker } from "#shared/platform/manifest.ts";
import { nudgeQueueOf, outboxQueues } from "#shared/registry/queues.ts";

export const worker: Worker = {
  domain: "platform",
  name: "outbox-sweeper",
  summary: "Sends again what was committed to the outbox and never handled",
  audit: { none: "It delivers what others have caused." },
  trigger: { everySeconds: 60 },
  tables: { outbox: "write" },
  scans: ["outbox"],
  sends: [...new Set(outboxQueues.map(nudgeQueueOf))],
};
