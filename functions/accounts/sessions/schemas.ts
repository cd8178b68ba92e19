import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { deviceId } from "#shared/platform/http/device-id.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

/** Any text, because a malformed address, number or handle simply belongs to nobody. */
const entered = z.string();

/** Either a password with one of email, handle and phone, or a phone number with the code sent to it. */
export const login = z
  .object({
    email: entered.optional().meta({ description: "Email address, such as ada@example.com" }),
    phone: entered.optional().meta({ description: "Phone number in E.164 form, such as +4930123456" }),
    handle: entered.optional().meta({ description: "Without `@`" }),
    password: accountTypes.password.optional(),
    code: accountTypes.verificationCode
      .optional()
      .meta({ description: "Code from `send-login-code`, with `phone`" }),
    label: accountTypes.cookieLabel.optional(),
    verification_code: accountTypes.verificationCode.optional().meta({
      description: "Code of the second factor, from `send-verification-code`; needed where one is required",
    }),
  })
  .superRefine(({ email, phone, handle, password, code }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    const identities = [email, phone, handle].filter((identity) => identity !== undefined);
    if (identities.length !== 1) refuse("email", "exactly one of email, phone and handle is needed");
    if ((password === undefined) === (code === undefined))
      refuse("password", "either a password or a code is needed");
    if (code !== undefined && phone === undefined) refuse("phone", "required with code");
  })
  .meta({
    id: "Login",
    description: "A password with one of `email`, `phone` and `handle`; or `phone` with `code`",
    examples: [{ email: "ada@example.com", password: "correct horse battery" }],
  });

export const ssoLogin = z
  .object({ user: wire.userId, label: accountTypes.cookieLabel.optional() })
  .meta({ id: "SsoLogin", examples: [{ user: "0b3c1a52-9d5e-4a3f-8f0e-2b1d4c5e6f70" }] });

export const legalHoldLogin = z
  .object({
    user: wire.userId,
    password: accountTypes.password.optional(),
    label: accountTypes.cookieLabel.optional(),
  })
  .meta({
    id: "LegalHoldLogin",
    examples: [{ user: "0b3c1a52-9d5e-4a3f-8f0e-2b1d4c5e6f70", password: "correct horse battery" }],
  });

export const loginQuery = z.object({
  persist: wire.queryFlag.default(false).meta({
    description:
      "Whether the cookie outlives the browser session: it is valid for 56 days and renewed on use, instead of a week",
  }),
});

export const accessToken = z
  .object({
    user: z.uuid().meta({ description: "Id of the user who is logged in" }),
    access_token: z.string().meta({ description: "Opaque" }),
    token_type: z.literal("Bearer"),
    expires_in: z.int().meta({ description: "Lifetime of the token in seconds" }),
  })
  .meta({ id: "AccessToken" });

export const sendLoginCode = z
  .object({
    phone: accountTypes.phone,
    force: z.boolean().default(true).meta({ description: "False refuses an account that has a password" }),
    voice_call: z
      .boolean()
      .optional()
      .meta({ description: "Ignored: codes are sent as text", deprecated: true }),
  })
  .meta({ id: "SendLoginCode", examples: [{ phone: "+4930123456" }] });

export const loginCodeTimeout = z
  .object({ expires_in: z.int().meta({ description: "Lifetime of the code in seconds" }) })
  .meta({ id: "LoginCodeTimeout" });

export const accessQuery = z.object({
  client_id: deviceId
    .optional()
    .meta({ description: "Id of one of your devices, to which the cookie is tied from then on" }),
});

const cookieId = z.int().min(0).max(4_294_967_295);

export const cookie = z
  .object({
    id: cookieId,
    type: z
      .enum(["session", "persistent"])
      .meta({ description: "Whether it ends with the browser session, or is renewed on use" }),
    created: wire.utcTime,
    time: wire.utcTime.meta({ description: "Same as `created`", deprecated: true }),
    expires: wire.utcTime,
    label: z.string().nullable().meta({ description: "As given at login or registration" }),
    successor: cookieId.nullable().meta({ description: "Id of the cookie that replaced it" }),
  })
  .meta({ id: "Cookie" });

export const cookieList = z.object({ cookies: z.array(cookie) }).meta({ id: "CookieList" });

export const cookiesQuery = z.object({
  labels: z.string().optional().meta({ description: "Only cookies with these labels, separated by commas" }),
});

export const removeCookies = z
  .object({
    email: entered.optional().meta({ description: "Email address of the account" }),
    password: accountTypes.password,
    labels: z
      .array(z.string().max(256))
      .max(1000)
      .default([])
      .meta({ description: "Revoke the cookies with these labels" }),
    ids: z
      .array(
        z
          .union([cookieId, z.object({ id: cookieId })])
          .transform((entry) => (typeof entry === "number" ? entry : entry.id)),
      )
      .max(1000)
      .default([])
      .meta({
        description: "Revoke the cookies with these ids: bare ids, or whole records from `list-cookies`",
      }),
  })
  .meta({
    id: "RemoveCookies",
    description: "Without `labels` and `ids`, all cookies are revoked",
    examples: [{ password: "correct horse battery", labels: ["laptop"] }],
  });

export const phoneQuery = z.object({
  phone: accountTypes.queryAddress.meta({ description: "Phone number in E.164 form" }),
});

export const pendingLogin = z
  .object({
    code: accountTypes.verificationCode,
    expires_in: z.int().meta({ description: "Seconds until the code expires" }),
  })
  .meta({ id: "PendingLogin" });
