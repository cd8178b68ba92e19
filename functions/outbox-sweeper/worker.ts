import type { Worker } from "#shared/family.ts";
import { type QueueName, queues } from "#shared/messaging/queues.ts";

export const outboxSweeper: Worker = {
  name: "outbox-sweeper",
  summary: "Sends again what was committed to the outbox and never handled",
  trigger: { everySeconds: 60 },
  tables: { outbox: "read" },
  sends: Object.keys(queues) as QueueName[],
};
