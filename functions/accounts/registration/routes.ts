import * as z from "zod";
import { supportedProtocols } from "#shared/accounts/account.ts";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { addressQuery } from "#shared/accounts/account-types.ts";
import { accentId, newAssets, newOldPicture } from "#shared/accounts/profiles/profile-fields.ts";
import { selfProfile, selfProfiles } from "#shared/accounts/profiles/self-profile.ts";
import { codeRequests } from "#shared/codes/code.ts";
import { pageBody } from "#shared/platform/html/page.ts";
import { browserHeaders } from "#shared/platform/html/pages-for.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { zuidCookie } from "#shared/sessions/cookies.ts";
import { newTeam } from "#shared/teams/found-team.ts";
import { invitationCode } from "#shared/teams/invitation-code.ts";
import { routes as joining } from "./joining/routes.ts";

const sendActivationCode = z
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

const activate = z
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

const activateByLink = z.object({ key: accountTypes.codeKey, code: accountTypes.verificationCode });

/** Absent after a dry run, whose 200 has no body. */
const activated = z
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

const newUser = z
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

const operatorsNewUser = z
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

const accountsQuery = z
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

const pendingActivation = z
  .object({ key: accountTypes.codeKey, code: accountTypes.verificationCode })
  .meta({ id: "PendingActivation" });

const registrationErrors = [
  "allowlist-rejected",
  "domain-blocked-for-registration",
  "invalid-email",
  "invalid-phone",
  "key-exists",
  "blacklisted-email",
  "blacklisted-phone",
  "missing-identity",
  "invalid-invitation-code",
  "no-team",
  "too-many-team-members",
  "too-many-members-for-legalhold",
  "condition-failed",
  "too-many-requests",
  "activation-code-rejected",
] as const;

const ownRoutes = defineRoutes({
  "post-activate-send": {
    method: "POST",
    audit: unaudited.preparation,
    path: "/activate/send",
    auth: "none",
    summary: "Send an activation code to an email address or phone number",
    description:
      "The code has six digits and allows three attempts. Asking again sends the same code, with its " +
      "remaining attempts. Use it as `email_code` or `phone_code` of `register`, or to activate an account " +
      "that is waiting for it.",
    body: sendActivationCode,
    responses: { 200: null },
    limitByNetwork: codeRequests,
    errors: [
      "allowlist-rejected",
      "domain-blocked-for-registration",
      "key-exists",
      "blacklisted-email",
      "blacklisted-phone",
      "invalid-email",
      "invalid-phone",
    ],
  },
  "post-activate": {
    method: "POST",
    audit: "account.activated",
    path: "/activate",
    auth: "none",
    summary: "Verify an email address or phone number with its code",
    description:
      "200 with the identity when it has just been verified, 204 when it already was, and 200 without a " +
      "body when a dry run finds the code correct. A wrong code costs one of three attempts, even in a dry " +
      "run.",
    body: activate,
    responses: { 200: activated, 204: null },
    errors: ["invalid-email", "invalid-phone", "condition-failed", "activation-code-rejected", "key-exists"],
  },
  "get-activate": {
    audit: "account.activated",
    method: "GET",
    path: "/activate",
    auth: "none",
    summary: "Verify an email address with the key and code of its mail",
    description: "Works like `post-activate`. Mails link to `get-activation-page` instead, which asks first.",
    query: activateByLink,
    refusesHead: true,
    responses: { 200: activated, 204: null },
    errors: ["condition-failed", "activation-code-rejected", "key-exists"],
  },
  "get-activation-page": {
    method: "GET",
    path: "/activate/confirm",
    errorFormat: "page",
    auth: "none",
    summary: "Show the page that a mail with an activation code links to",
    description: "Asks whether to verify the address, and changes nothing.",
    query: activateByLink,
    headers: browserHeaders,
    responses: { 200: pageBody },
    errors: [],
  },
  "post-activation-confirmation": {
    method: "POST",
    audit: "account.activated",
    path: "/activate/confirm",
    errorFormat: "page",
    auth: "none",
    summary: "Verify an email address with the form on the page",
    headers: browserHeaders,
    body: activateByLink,
    bodyFormat: "form",
    responses: { 200: pageBody },
    errors: ["condition-failed", "activation-code-rejected", "key-exists"],
  },
  register: {
    method: "POST",
    audit: "account.registered",
    path: "/register",
    auth: "none",
    pausedBy: "registration",
    summary: "Register an account",
    description:
      "Sends an activation code and logs in with a persistent cookie, which `access` exchanges for an " +
      "access token. With `team`, the user founds a team, which becomes active with the account. " +
      "Until `post-activate` has received the code, the address is not part of the " +
      "profile, and the account can read but not act. The cookie of an anonymous account is never " +
      "renewed, and the account ends at `expires_at`.",
    responseHeaders: { Location: "Id of the new user", "Set-Cookie": zuidCookie },
    body: newUser,
    responses: { 201: selfProfile },
    errors: ["user-creation-restricted", "ephemeral-user-creation-disabled", ...registrationErrors],
  },
  "i-get-users": {
    method: "GET",
    path: "/i/users",
    auth: "internal",
    summary: "Get accounts by ids, handles, email address or phone number",
    description:
      "Name exactly one of these. Returns accounts of any status, in any order; unknown ones are left " +
      "out.",
    query: accountsQuery,
    responses: { 200: selfProfiles },
    errors: ["invalid-email", "invalid-phone"],
  },
  "i-create-user": {
    method: "POST",
    audit: "account.registered",
    path: "/i/users",
    auth: "internal",
    summary: "Create an account",
    description:
      "As `register` does, even where the operator allows no registration, under a given id, and without a session. " +
      "An address without its code is sent one.",
    responseHeaders: { Location: "Id of the new user" },
    body: operatorsNewUser,
    responses: { 201: selfProfile },
    errors: registrationErrors,
  },
  "i-get-activation-code": {
    method: "GET",
    audit: { reads: "secret.read" },
    path: "/i/users/activation-code",
    auth: "internal",
    summary: "Look up the pending activation of an email address or phone number",
    query: addressQuery,
    responses: { 200: pendingActivation },
    errors: ["invalid-email", "invalid-phone", "no-activation-code"],
  },
});

export const routes = { ...ownRoutes, ...joining };
