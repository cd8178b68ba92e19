import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "platform",
  name: "mail-feedback",
  summary: "Records addresses that bounce, and those whose owners complain",
  audit: { none: "It notes what mail servers and owners of addresses report, on nobody's behalf." },
  trigger: { queue: "mail-feedback" },
  tables: { "mail-suppressions": "write" },
};
