import type { EmailMessage } from "#shared/mail/message.ts";

export type EmailTemplate = EmailMessage["template"];

export interface EmailTemplateSpec {
  /** Value of the header `X-Svc-Purpose`. */
  readonly purpose: string;
  /** Path under the public address that the mail links to, with key and code in the query. */
  readonly page?: string;
  /** Whether the mail links to the web app, if the operator has named one. */
  readonly opensWebApp?: true;
}

export const emailTemplates = {
  verification: { purpose: "Verification" },
  activation: { purpose: "Activation", page: "/activate/confirm" },
  "team-activation": { purpose: "Activation", page: "/activate/confirm" },
  "password-reset": { purpose: "PasswordReset" },
  "second-factor": { purpose: "SecondFactorVerification" },
  deletion: { purpose: "Delete", page: "/delete" },
  "new-device": { purpose: "NewDevice" },
  welcome: { purpose: "Welcome", opensWebApp: true },
} as const satisfies Record<EmailTemplate, EmailTemplateSpec>;
