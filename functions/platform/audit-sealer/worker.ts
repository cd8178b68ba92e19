import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "platform",
  name: "audit-sealer",
  summary: "Writes the audit trail to files that nobody can change",
  audit: { none: "It keeps the trail itself." },
  trigger: { everySeconds: 900 },
  tables: { audit: "write" },
  buckets: { audit: ["read", "write"] },
};
