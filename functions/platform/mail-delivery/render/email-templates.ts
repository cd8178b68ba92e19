import type { EmailMessage } from "#shared/codes/mail/message.ts";

export type EmailTemplate = EmailMessage["template"];

export interface EmailTemplateSpec {
  /** Value of the header `X-Svc-Purpose`. */
  readonly purpose: string;
  /** Path under the public address that the mail links to, with key and code in the query. */
  readonly page?: string;
  /** Whether the mail links to the web app, if one is configured. */
  readonly opensWebApp?: true;
  /** For whom the mail links to the page that accepts an invitation, if it does. */
  readonly invites?: "new-user" | "existing-user";
}

export const emailTemplates = {
  verification: { purpose: "Verification" },
  activation: { purpose: "Activation", page: "/activate/confirm" },
  "team-activation": { purpose: "Activation", page: "/activate/confirm" },
  "password-reset": { purpose: "PasswordReset", page: "/password-reset/page/complete" },
  "second-factor": { purpose: "SecondFactorVerification" },
  deletion: { purpose: "Delete", page: "/delete" },
  "new-device": { purpose: "NewDevice" },
  welcome: { purpose: "Welcome", opensWebApp: true },
  "identity-provider-changed": { purpose: "IdPChange" },
  "provider-activation": { purpose: "ProviderActivation", page: "/provider/activate/confirm" },
  "provider-email-change": { purpose: "ProviderActivation", page: "/provider/activate/confirm" },
  "provider-password-reset": { purpose: "ProviderPasswordReset", page: "/provider/password-reset/confirm" },
  "provider-approved": { purpose: "ProviderApprovalConfirm" },
  "webhook-off": { purpose: "WebhookOff" },
  "team-invitation": { purpose: "TeamInvitation", invites: "new-user" },
  "team-invitation-existing": { purpose: "TeamInvitation", invites: "existing-user" },
} as const satisfies Record<EmailTemplate, EmailTemplateSpec>;
