import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "platform",
  name: "audit-verifier",
  summary: "Verifies that nobody has changed the files of the audit trail",
  audit: { none: "It keeps the trail itself." },
  trigger: { everySeconds: 900 },
  tables: { audit: "write" },
  buckets: { audit: ["list", "read"] },
};
