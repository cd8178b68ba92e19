import * as z from "zod";
import { codeChallenge } from "#shared/oauth/code-challenge.ts";
import * as primitives from "#shared/schemas/primitives.ts";

/** Query of an authorization request (RFC 6749 §4.1.1, RFC 7636 §4.3); parameters that it does not know are ignored. */
export const authorizationRequest = z.object({
  client_id: primitives.uuid,
  redirect_uri: z.string().min(1).max(2048),
  response_type: z.literal("code"),
  scope: z.string().max(1024),
  state: z.string().min(1).max(4096),
  code_challenge: codeChallenge,
  code_challenge_method: z.literal("S256"),
  ui_locales: z.string().max(256).optional(),
  /** Belongs into the exchange of the code only. */
  code_verifier: z.undefined("must not be sent here").optional(),
});
export type AuthorizationRequest = z.output<typeof authorizationRequest>;

/** What a browser tells of itself, and of where a form was. */
export const browserHeaders = z.object({
  "Accept-Language": z.string().optional(),
  Host: z.string().optional(),
  Origin: z.string().optional(),
  "Sec-Fetch-Site": z.string().optional(),
});
export type BrowserHeaders = z.output<typeof browserHeaders>;

const formToken = z.string().max(128);

export const logInForm = z.object({
  form_token: formToken,
  identity: z.string().min(1).max(320),
  password: z.string().min(1).max(1024),
});

/** Digits as people type them; what is no code is a wrong one. */
const typedCode = z
  .string()
  .max(64)
  .transform((text) => text.replaceAll(/\s/g, ""));

export const codeForm = z.object({ form_token: formToken, code: typedCode });

export const decisionForm = z.object({ form_token: formToken, decision: z.enum(["allow", "deny"]) });

export const plainForm = z.object({ form_token: formToken });
