import * as z from "zod";
import { supportedProtocols } from "#shared/accounts/account.ts";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { accentId, newAssets, newOldPicture } from "#shared/accounts/profiles/profile-fields.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { invitationCode } from "#shared/teams/invitation-code.ts";
import { newTeam } from "#shared/teams/new-team.ts";

export const sendActivationCode = z
  .object({
    email: accountTypes.email.optional(),
    phone: accountTypes.phone.optional(),
    locale: accountTypes.locale.optional().meta({ description: "Language of the message: en, de-CH" }),
    voice_call: z
      .boolean()
      .optional()
      .meta({ description: "Ignored: codes are sent as text", deprecated: true }),
  })
  .refine(accountTypes.hasOneAddress, accountTypes.oneAddressNeeded)
  .meta({
    id: "SendActivationCode",
    description: "Exactly one of `email` and `phone`",
    examples: [{ email: "ada@example.com", locale: "en" }],
  });

export const activate = z
  .object({
    key: accountTypes.codeKey.optional(),
    email: accountTypes.email.optional(),
    phone: accountTypes.phone.optional(),
    code: accountTypes.verificationCode,
    dryrun: z.boolean().default(false).meta({ description: "Only check the code" }),
    label: accountTypes.cookieLabel.optional(),
  })
  .refine(({ key, email, phone }) => [key, email, phone].some((field) => field !== undefined), {
    message: "one of key, email and phone is needed",
  })
  .meta({
    id: "Activate",
    description: "At least one of `key`, `email` and `phone`; the first one present counts",
    examples: [{ email: "ada@example.com", code: "123456" }],
  });

export const activateByLink = z.object({ key: accountTypes.codeKey, code: accountTypes.verificationCode });

/** Absent after a dry run, whose 200 has no body. */
export const activated = z
  .object({
    email: z.string().optional(),
    phone: z.string().optional(),
    first: z.boolean().meta({
      description: "Whether this activated the account, rather than adding or changing an identity",
    }),
  })
  .meta({ id: "ActivationResponse" })
  .optional();

/** Fields that only internal callers may set. */
const internalOnly = z
  .never("not accepted in a public registration")
  .optional()
  .meta({ description: "Refused: only internal callers set it" });

/** Fields of a new user that everybody may set. */
const publicFields = {
  name: z.string().min(1).max(128),
  email: accountTypes.email.optional(),
  phone: accountTypes.phone.optional(),
  email_code: accountTypes.verificationCode.optional().meta({
    description: "Code that `post-activate-send` sent to `email`; activates the account immediately",
  }),
  phone_code: accountTypes.verificationCode.optional().meta({ description: "The same for `phone`" }),
  password: accountTypes.newPassword.optional(),
  label: accountTypes.cookieLabel.optional(),
  locale: accountTypes.locale.optional(),
  accent_id: accentId.default(0),
  assets: newAssets.default([]),
  picture: newOldPicture.default([]),
  supported_protocols: supportedProtocols.optional(),
  expires_in: z.int().min(1).max(604_800).optional().meta({
    description:
      "Anonymous accounts only: seconds until the account ends, a day at most unless the operator allows more",
  }),
  team: newTeam.optional(),
  team_code: invitationCode.optional(),
  invitation_code: invitationCode
    .optional()
    .meta({ description: "The same under its old name", deprecated: true }),
};

type PublicFields = z.output<z.ZodObject<typeof publicFields>>;

/** Checks which fields of a new user go together. */
const checkCombination = (user: PublicFields, context: z.core.$RefinementCtx): void => {
  const refuse = (path: string, message: string) =>
    context.addIssue({ code: "custom", path: [path], message });
  const hasIdentity = user.email !== undefined || user.phone !== undefined;
  const marks = [user.team, user.team_code, user.invitation_code].filter((mark) => mark !== undefined);
  if (marks.length > 1) refuse("team", "at most one of team, team_code and invitation_code is allowed");
  if (marks.length > 0 && user.password === undefined)
    refuse("password", "required with a team or an invitation");
  if (user.email_code !== undefined && user.email === undefined) refuse("email", "required with email_code");
  if (user.phone_code !== undefined && user.phone === undefined) refuse("phone", "required with phone_code");
  if (user.expires_in !== undefined && (hasIdentity || marks.length > 0)) {
    refuse("expires_in", "only for anonymous accounts");
  }
  if (user.password !== undefined && !hasIdentity && marks.length === 0) {
    refuse("password", "an anonymous account has no password");
  }
};

export const newUser = z
  .object({
    ...publicFields,
    managed_by: z
      .string()
      .max(16)
      .refine((text) => text !== "scim", "scim is not accepted in a public registration")
      .optional()
      .meta({ description: "Ignored" }),
    uuid: internalOnly,
    sso_id: internalOnly,
    team_id: internalOnly,
  })
  .superRefine(checkCombination)
  .meta({
    id: "NewUser",
    description:
      "With `email`, `phone` or both. Without either, the account is anonymous and has no password.",
    examples: [{ name: "Ada", email: "ada@example.com", password: "correct horse battery" }],
  });

export const operatorsNewUser = z
  .object({
    ...publicFields,
    uuid: wire.uuid.optional().meta({ description: "Id of the user; absent: any" }),
    managed_by: z
      .string()
      .max(16)
      .optional()
      .meta({ description: "`scim`: a directory manages the account; otherwise ignored" }),
    sso_id: z
      .never("use i-create-sso-user")
      .optional()
      .meta({ description: "Refused: see `i-create-sso-user`" }),
    team_id: z
      .never("use i-create-sso-user")
      .optional()
      .meta({ description: "Refused: see `i-create-sso-user`" }),
  })
  .superRefine(checkCombination)
  .meta({
    id: "OperatorsNewUser",
    description: "As for `register`, with the fields that only operators may set.",
    examples: [{ name: "Ada", email: "ada@example.com", password: "correct horse battery" }],
  });
export type NewUser = z.output<typeof operatorsNewUser>;

/** Users that one request may name. */
const maxAccounts = 500;

export const accountsQuery = z
  .object({
    ids: wire
      .commaSeparated(wire.uuid, maxAccounts)
      .optional()
      .meta({ description: "User ids, separated by commas" }),
    handles: wire
      .commaSeparated(accountTypes.handle, maxAccounts)
      .optional()
      .meta({ description: "Handles, separated by commas" }),
    email: accountTypes.queryAddress.optional().meta({ description: "Verified email address" }),
    phone: accountTypes.queryAddress.optional().meta({ description: "Verified phone number in E.164 form" }),
    includePendingInvitations: wire.queryFlag
      .default(false)
      .meta({ description: "Whether to include accounts whose invitation has not been accepted yet" }),
  })
  .refine(
    ({ ids, handles, email, phone }) =>
      [ids, handles, email, phone].filter((key) => key !== undefined).length === 1,
    { message: "exactly one of ids, handles, email and phone is needed" },
  );

export const pendingActivation = z
  .object({ key: accountTypes.codeKey, code: accountTypes.verificationCode })
  .meta({ id: "PendingActivation" });
