import * as z from "zod";
import { typedCode, typedText } from "#shared/platform/html/typed-fields.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

/** A parameter about whose absence or value the app is told by the redirect. An empty one is absent (RFC 6749 §3.1). */
const parameter = (longest: number) =>
  z
    .string()
    .max(longest)
    .transform((text) => (text === "" ? undefined : text))
    .optional();

/** Query of an authorization request (RFC 6749 §4.1.1, RFC 7636 §4.3); unknown parameters are ignored. */
export const authorizationRequest = z.object({
  client_id: wire.uuid.meta({ description: "Id of the app" }),
  redirect_uri: z
    .string()
    .min(1)
    .max(2048)
    .meta({ description: "The redirect URL of the app, as registered" }),
  response_type: parameter(64).meta({ description: "Required, and `code`" }),
  scope: z.string().max(1024).optional().meta({ description: "Required: scopes, separated by spaces" }),
  state: parameter(4096).meta({ description: "Required: returned in the redirect" }),
  code_challenge: parameter(1024).meta({
    description: "Required: SHA-256 of the code verifier in base64url without padding (RFC 7636 §4.2)",
  }),
  code_challenge_method: parameter(64).meta({ description: "Required, and `S256`" }),
  ui_locales: z
    .string()
    .max(256)
    .optional()
    .meta({ description: "Languages for the pages, in order of preference, separated by spaces" }),
  /** Belongs only to the exchange of the code. */
  code_verifier: z
    .string()
    .optional()
    .meta({ description: "Refused: it belongs only to the exchange of the code" }),
});
export type AuthorizationRequest = z.output<typeof authorizationRequest>;

const formToken = z.string().max(128).meta({ description: "Hidden field of the page with the form" });

export const logInForm = z.object({
  form_token: formToken,
  identity: typedText.meta({ description: "Email address, phone number or handle" }),
  password: typedText,
});

export const codeForm = z.object({ form_token: formToken, code: typedCode });

export const decisionForm = z.object({ form_token: formToken, decision: z.enum(["allow", "deny"]) });

export const plainForm = z.object({ form_token: formToken });
