import type { Worker } from "#shared/platform/manifest.ts";

export const worker: Worker = {
  domain: "platform",
  name: "mail-delivery",
  summary: "Sends emails and SMS",
  audit: { none: "It delivers what others have caused." },
  trigger: { queue: "mail" },
  tables: { outbox: "write", "mail-suppressions": "read" },
  secrets: ["code-key", "invitation-key"],
  delivers: ["email", "sms"],
};
