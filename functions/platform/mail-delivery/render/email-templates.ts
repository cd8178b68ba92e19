import type { EmailMessage } from "#shared/mail/message.ts";

export type EmailTemplate = EmailMessage["template"];

export interface EmailTemplateSpec {
  /** Value of the header `X-Svc-Purpose`. */
  readonly purpose: string;
  /** Path under the public address that the mail links to, with key and code in the query. */
  readonly page?: string;
}

export const emailTemplates = {
  verification: { purpose: "Verification" },
  activation: { purpose: "Activation", page: "/activate/confirm" },
  "password-reset": { purpose: "PasswordReset" },
  "second-factor": { purpose: "SecondFactorVerification" },
  deletion: { purpose: "Delete", page: "/delete" },
  "new-device": { purpose: "NewDevice" },
} as const satisfies Record<EmailTemplate, EmailTemplateSpec>;
