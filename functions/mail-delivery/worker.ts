import type { Worker } from "#shared/family.ts";

export const mailDelivery: Worker = {
  name: "mail-delivery",
  summary: "Sends e-mails and SMS",
  trigger: { queue: "mail" },
  tables: { outbox: "write" },
  secrets: ["code-key"],
  delivers: ["email", "sms"],
};
