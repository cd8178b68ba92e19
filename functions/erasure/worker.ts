import type { Worker } from "#shared/family.ts";

export const erasure: Worker = {
  name: "erasure",
  summary: "Removes what belonged to deleted accounts",
  trigger: { queue: "erasures" },
  tables: { outbox: "write" },
};
