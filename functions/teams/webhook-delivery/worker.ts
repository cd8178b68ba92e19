import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "teams",
  name: "webhook-delivery",
  summary: "Sends events to receivers of webhooks that answer quickly",
  audit: { none: "It delivers what others have caused." },
  trigger: { queue: "webhook-deliveries" },
  tables: { accounts: "read", outbox: "write", teams: "read", webhooks: "write" },
  sends: ["mail", "webhook-deliveries", "slow-webhook-deliveries"],
  secrets: ["webhook-key"],
};
