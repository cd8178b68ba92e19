import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "platform",
  name: "mail-feedback",
  summary: "Records addresses that bounce, and those whose owners complain",
  trigger: { queue: "mail-feedback" },
  tables: { "mail-suppressions": "write" },
};
