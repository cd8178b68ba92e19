import type { EmailMessage, SmsMessage } from "#shared/codes/mail/message.ts";

/** Texts of messages in one language. */
export interface Texts {
  readonly direction: "ltr" | "rtl";
  readonly emails: { readonly [Template in EmailTemplate]: (productName: string) => EmailTextOf<Template> };
  readonly sms: Readonly<Record<SmsMessage["template"], (facts: SmsFacts) => string>>;
  /** Says "at most", because a code that is sent again has only the rest of its lifetime. */
  readonly validity: (lifetime: string) => string;
  /** Lines about the account that asks for an address. */
  readonly account: {
    readonly existing: (name: string) => string;
    readonly registered: (name: string) => string;
    readonly requestedAt: (time: string) => string;
    /** Shown if other accounts have also asked for the address. */
    readonly contested: string;
  };
  /** Lines about a new member and the team. */
  readonly team: {
    readonly founded: (team: string) => string;
    readonly member: (name: string) => string;
    readonly address: (address: string) => string;
    readonly team: (team: string) => string;
    readonly teamId: (teamId: string) => string;
  };
  /** Lines about an invitation. */
  readonly invitation: {
    readonly inviter: (address: string) => string;
    readonly validity: (lifetime: string) => string;
  };
  /** Lines about the change of an identity provider. */
  readonly identityProvider: {
    readonly created: (id: string) => string;
    readonly updated: (id: string) => string;
    readonly deleted: (id: string) => string;
    readonly admin: (name: string) => string;
    readonly issuer: (issuer: string) => string;
    readonly formerIssuer: (issuer: string) => string;
    readonly endpoint: (url: string) => string;
    readonly formerEndpoint: (url: string) => string;
    readonly addedCertificate: (fingerprint: string) => string;
    readonly removedCertificate: (fingerprint: string) => string;
  };
  /** Lines about a webhook. */
  readonly webhook: {
    readonly host: (host: string) => string;
    readonly id: (id: string) => string;
  };
  /** Lines about a device. */
  readonly device: {
    readonly label: (label: string) => string;
    readonly model: (model: string) => string;
    readonly addedAt: (time: string) => string;
  };
  readonly footer: (productName: string, address: string) => string;
}

export interface EmailText {
  readonly subject: string;
  readonly heading: string;
  /** Shown above the link if there is one, otherwise above the code or the facts. */
  readonly intro: string;
  readonly link?: LinkText;
  /** Advice in case somebody else caused the mail. */
  readonly unrequested: string;
}

export interface LinkText {
  readonly label: string;
  /** Shown between link and code. */
  readonly alternative?: string;
}

interface SmsFacts {
  readonly productName: string;
  readonly code: string;
  /** Name of the account that is activated; empty if there is none. */
  readonly name: string;
  readonly lifetime: string;
  /** Where to enter the code; shown in messages that are useless without it. */
  readonly link: string;
}

type EmailTextOf<Template extends EmailTemplate> = (typeof emailTemplates)[Template] extends
  | { page: string }
  | { opensWebApp: true }
  | { invites: string }
  ? EmailText & { readonly link: LinkText }
  : EmailText & { readonly link?: never };

type EmailTemplate = EmailMessage["template"];

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
