import * as z from "zod";
import type { CodePurpose } from "#shared/codes/code.ts";
import { storedObject } from "#shared/platform/data/stored-item.ts";

/**
 * Messages that families pass to the mail worker through the outbox and its queue. A new message needs a row here, a
 * row in `emailTemplates` of the worker if it is an email, and a text in each of its locales.
 */

/** Reference from which the worker derives the code, with a secret; no queue and no table ever contains a code. */
const codeOf = <const Purpose extends CodePurpose>(purpose: Purpose) =>
  z.object({ purpose: z.literal(purpose), codeKey: z.string().min(1), nonce: z.string().min(1) });

/** Preference of the recipient, such as `de-CH`; when absent or unknown, `setDefaultTemplateLocale` is used. */
const locale = z.string().max(35).optional();

/** Only refuses what must not get into a mail header; registration checks the syntax. */
const email = { to: z.string().regex(/^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u, "an email address"), locale };
const sms = { to: z.string().regex(/^\+\d{8,15}$/, "an E.164 number"), locale };

/** The opaque text that identifies address and account where the code is redeemed. */
const key = z.string().min(1);

/** The account, of a user or a provider, that a mail activates. */
const activatedAccount = {
  name: z.string(),
  /** Whether it already has another address or number. */
  isActivated: z.boolean(),
  requestedAt: z.iso.datetime(),
  /** Whether other accounts have also asked for the address. */
  isContested: z.boolean(),
};

/** An invitation to a team, from whose ids the worker derives the code. */
const invitation = {
  invitationId: z.uuid(),
  /** Address of the inviter. */
  inviter: z.string(),
  team: z.object({ teamId: z.uuid(), name: z.string() }),
};

/** An identity provider as described to admins. */
export const describedProvider = storedObject({
  issuer: z.string(),
  requestUri: z.string(),
  /** SHA-256 fingerprints. */
  certificates: z.array(z.string()),
});

const emailMessageSchema = z.discriminatedUnion("template", [
  z.object({ template: z.literal("verification"), ...email, code: codeOf("activation") }),
  z.object({
    template: z.literal("activation"),
    ...email,
    key,
    code: codeOf("activation"),
    account: z.object(activatedAccount),
  }),
  z.object({
    template: z.literal("team-activation"),
    ...email,
    key,
    code: codeOf("activation"),
    account: z.object({
      ...activatedAccount,
      /** Name of the team that it founds. */
      team: z.string(),
    }),
  }),
  z.object({ template: z.literal("password-reset"), ...email, key, code: codeOf("password-reset") }),
  z.object({ template: z.literal("second-factor"), ...email, code: codeOf("second-factor") }),
  z.object({ template: z.literal("deletion"), ...email, key, code: codeOf("deletion") }),
  z.object({
    template: z.literal("new-device"),
    ...email,
    device: z.object({ label: z.string().optional(), model: z.string().optional() }),
    addedAt: z.iso.datetime(),
  }),
  z.object({
    template: z.literal("welcome"),
    ...email,
    /** Id of the new member. */
    name: z.string(),
    team: z.object({ teamId: z.uuid(), name: z.string() }),
  }),
  z.object({
    template: z.literal("identity-provider-changed"),
    ...email,
    team: z.object({ teamId: z.uuid(), name: z.string() }),
    /** Name of the admin who did it, if known. */
    admin: z.string().optional(),
    providerId: z.uuid(),
    /** Absent for a new one. */
    before: describedProvider.optional(),
    /** Absent for one that was deleted. */
    after: describedProvider.optional(),
  }),
  /** For a new provider of services. */
  z.object({
    template: z.literal("provider-activation"),
    ...email,
    key,
    code: codeOf("provider-activation"),
    account: z.object(activatedAccount),
  }),
  /** For a provider that is to get another address. */
  z.object({
    template: z.literal("provider-email-change"),
    ...email,
    key,
    code: codeOf("provider-activation"),
    account: z.object(activatedAccount),
  }),
  z.object({
    template: z.literal("provider-password-reset"),
    ...email,
    key,
    code: codeOf("provider-password-reset"),
  }),
  z.object({ template: z.literal("provider-approved"), ...email }),
  z.object({
    template: z.literal("webhook-off"),
    ...email,
    /** Absent for a webhook of the operator. */
    team: z.object({ teamId: z.uuid(), name: z.string() }).optional(),
    webhook: z.object({ webhookId: z.uuid(), host: z.string() }),
  }),
  z.object({ template: z.literal("team-invitation"), ...email, ...invitation }),
  z.object({ template: z.literal("team-invitation-existing"), ...email, ...invitation }),
]);

/** The report of a changed domain registration to the operator's auditor: plain text, in English. */
const auditMessageSchema = z.object({
  template: z.literal("domain-audit"),
  to: email.to,
  domain: z.string(),
  call: z.string(),
  /** Indented JSON. */
  before: z.string(),
  after: z.string(),
});

const smsMessageSchema = z.discriminatedUnion("template", [
  z.object({
    template: z.literal("activation-sms"),
    ...sms,
    /** Name of the account; absent for a code that belongs to none. */
    name: z.string().optional(),
    code: codeOf("activation"),
  }),
  z.object({ template: z.literal("login-sms"), ...sms, code: codeOf("login") }),
  z.object({ template: z.literal("password-reset-sms"), ...sms, code: codeOf("password-reset") }),
  z.object({ template: z.literal("deletion-sms"), ...sms, key, code: codeOf("deletion") }),
]);

/** Processed like a message but not sent, so that a request for an unknown address looks like any other. */
const undeliveredSchema = z.object({ template: z.literal("undelivered") });

/** Message of the outbox for the mail worker. */
export const mailMessageSchema = z.discriminatedUnion("template", [
  emailMessageSchema,
  auditMessageSchema,
  smsMessageSchema,
  undeliveredSchema,
]);

export type EmailMessage = z.infer<typeof emailMessageSchema>;
export type AuditMessage = z.infer<typeof auditMessageSchema>;
export type SmsMessage = z.infer<typeof smsMessageSchema>;
/** A message that is rendered and sent. */
export type DeliverableMessage = EmailMessage | AuditMessage | SmsMessage;
export type MailMessage = z.infer<typeof mailMessageSchema>;
