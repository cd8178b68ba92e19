import * as z from "zod";
import * as primitives from "#shared/schemas/primitives.ts";

/** Either a password with one of e-mail, handle and phone, or a phone number with the code sent to it. */
export const login = z
  .object({
    email: primitives.email.optional(),
    phone: primitives.phone.optional(),
    handle: z.string().min(1).max(256).optional(),
    password: primitives.password.optional(),
    code: primitives.verificationCode.optional(),
    label: primitives.cookieLabel.optional(),
    verification_code: primitives.verificationCode.optional(),
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
  .meta({ id: "Login" });
export type Login = z.output<typeof login>;

export const loginQuery = z.object({ persist: primitives.queryFlag.default(false) });

export const accessToken = z
  .object({
    user: z.uuid(),
    access_token: z.string(),
    token_type: z.literal("Bearer"),
    expires_in: z.int().meta({ description: "Seconds that the token is valid from its issue" }),
  })
  .meta({ id: "AccessToken" });

export const sendLoginCode = z
  .object({ phone: primitives.phone, force: z.boolean().default(true), voice_call: z.boolean().optional() })
  .meta({ id: "SendLoginCode" });

export const loginCodeTimeout = z
  .object({ expires_in: z.int().meta({ description: "Seconds that the code is valid" }) })
  .meta({ id: "LoginCodeTimeout" });

export const accessQuery = z.object({ client_id: z.string().min(1).max(64).optional() });

const cookieId = z.int().min(0).max(4_294_967_295);

export const cookie = z
  .object({
    id: cookieId,
    type: z.enum(["session", "persistent"]),
    created: primitives.utcTime,
    time: primitives.utcTime.meta({ description: "Same as `created`", deprecated: true }),
    expires: primitives.utcTime,
    label: z.string().nullable(),
    successor: cookieId.nullable(),
  })
  .meta({ id: "Cookie" });

export const cookieList = z.object({ cookies: z.array(cookie) }).meta({ id: "CookieList" });

export const cookiesQuery = z.object({ labels: z.string().optional() });

export const removeCookies = z
  .object({
    email: primitives.email.optional(),
    password: primitives.password,
    labels: z.array(primitives.cookieLabel).max(1000).default([]),
    /** Bare ids, or whole records as `GET /cookies` lists them. */
    ids: z
      .array(
        z
          .union([cookieId, z.object({ id: cookieId })])
          .transform((entry) => (typeof entry === "number" ? entry : entry.id)),
      )
      .max(1000)
      .default([]),
  })
  .meta({ id: "RemoveCookies" });

export const phoneQuery = z.object({ phone: primitives.queryAddress });

export const pendingLogin = z.object({ code: z.string(), expires_in: z.int() }).meta({ id: "PendingLogin" });
