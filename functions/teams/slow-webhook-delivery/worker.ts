import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "teams",
  name: "slow-webhook-delivery",
  summary: "Sends events to receivers of webhooks that are new, slow or fail",
  audit: { none: "It delivers what others have caused." },
  trigger: { queue: "slow-webhook-deliveries" },
  tables: { accounts: "read", outbox: "write", teams: "read", webhooks: "write" },
  sends: ["mail", "webhook-deliveries", "slow-webhook-deliveries"],
  secrets: ["webhook-key"],
};
