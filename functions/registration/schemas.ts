import * as z from "zod";
import { supportedProtocols, userAsset } from "#shared/data/account/account.ts";
import * as primitives from "#shared/schemas/primitives.ts";

export const sendActivationCode = z
  .object({
    email: primitives.email.optional(),
    phone: primitives.phone.optional(),
    locale: primitives.locale.optional(),
    voice_call: z.boolean().optional(),
  })
  .refine(primitives.hasOneAddress, primitives.oneAddressNeeded)
  .meta({ id: "SendActivationCode" });

export const activate = z
  .object({
    key: primitives.codeKey.optional(),
    email: primitives.email.optional(),
    phone: primitives.phone.optional(),
    code: primitives.verificationCode,
    dryrun: z.boolean().default(false),
    label: primitives.cookieLabel.optional(),
  })
  .refine(({ key, email, phone }) => [key, email, phone].some((field) => field !== undefined), {
    message: "one of key, email and phone is needed",
  })
  .meta({ id: "Activate" });

export const activateByLink = z.object({ key: primitives.codeKey, code: primitives.verificationCode });

/** Absent after a dry run, which answers 200 without a body. */
export const activated = z
  .object({ email: z.string().optional(), phone: z.string().optional(), first: z.boolean() })
  .meta({ id: "ActivationResponse" })
  .optional();

const newTeam = z
  .object({
    name: z.string().min(1).max(256),
    icon: z.string().min(1).max(256),
    icon_key: z.string().min(1).max(256).optional(),
    currency: z.string().length(3).optional(),
  })
  .meta({ id: "BindingNewTeamUser" });

/** Fields that only internal callers may set. */
const internalOnly = z.never("not accepted in a public registration").optional();

export const newUser = z
  .object({
    name: z.string().min(1).max(128),
    email: primitives.email.optional(),
    phone: primitives.phone.optional(),
    email_code: primitives.verificationCode.optional(),
    phone_code: primitives.verificationCode.optional(),
    password: primitives.newPassword.optional(),
    label: primitives.cookieLabel.optional(),
    locale: primitives.locale.optional(),
    accent_id: z.int32().default(0),
    assets: z.array(userAsset).max(10).default([]),
    picture: z.array(z.record(z.string(), z.unknown())).max(10).default([]),
    supported_protocols: supportedProtocols.optional(),
    expires_in: z.int().min(1).max(604_800).optional(),
    team: newTeam.optional(),
    team_code: z.string().min(1).max(256).optional(),
    invitation_code: z.string().min(1).max(256).optional(),
    managed_by: z
      .string()
      .max(16)
      .refine((text) => text !== "scim", "scim is not accepted in a public registration")
      .optional(),
    uuid: internalOnly,
    sso_id: internalOnly,
    team_id: internalOnly,
  })
  .superRefine((user, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    const hasIdentity = user.email !== undefined || user.phone !== undefined;
    const marks = [user.team, user.team_code, user.invitation_code].filter((mark) => mark !== undefined);
    if (marks.length > 1) refuse("team", "at most one of team, team_code and invitation_code is allowed");
    if (marks.length > 0 && user.password === undefined)
      refuse("password", "required with a team or an invitation");
    if (user.email_code !== undefined && user.email === undefined)
      refuse("email", "required with email_code");
    if (user.phone_code !== undefined && user.phone === undefined)
      refuse("phone", "required with phone_code");
    if (user.expires_in !== undefined && (hasIdentity || marks.length > 0)) {
      refuse("expires_in", "only for anonymous accounts");
    }
    if (user.password !== undefined && !hasIdentity && marks.length === 0) {
      refuse("password", "an anonymous account has no password");
    }
  })
  .meta({ id: "NewUser" });
export type NewUser = z.output<typeof newUser>;

export const pendingActivation = z
  .object({ key: z.string(), code: z.string() })
  .meta({ id: "PendingActivation" });
