import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "teams",
  name: "webhook-collector",
  summary: "Collects events for webhooks from the audit trail",
  audit: { none: "It passes on what others have recorded." },
  trigger: { everySeconds: 60 },
  tables: { audit: "read", webhooks: "write" },
  sends: ["webhook-deliveries", "slow-webhook-deliveries"],
};
