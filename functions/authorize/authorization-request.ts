import type { OAuthClient } from "#shared/data/oauth/oauth-client.ts";
import { ApiError } from "#shared/errors.ts";
import { checkOAuthEnabled } from "#shared/oauth/check-oauth-enabled.ts";
import { redirectWith } from "#shared/oauth/redirect-with.ts";
import type { Deps } from "./deps.ts";
import type { AuthorizationRequest } from "./schemas.ts";

/** An authorization request of a registered app: from here on, answers may go to its redirect URL. */
export interface KnownRequest {
  readonly request: AuthorizationRequest;
  readonly client: OAuthClient;
  /** The request as the query of a form's action. */
  readonly query: string;
}

/**
 * Nothing is sent to a redirect URL that is not, character by character, the registered one (RFC 9700 §2.1).
 * @throws ApiError `forbidden`, `not-found`, `redirect-url-mismatch`
 */
export async function checkRequest(
  { clients, settings }: Deps,
  request: AuthorizationRequest,
): Promise<KnownRequest> {
  checkOAuthEnabled(settings);
  const client = await clients.get(request.client_id);
  if (client === undefined) throw new ApiError("not-found");
  if (request.redirect_uri !== client.redirectUrl) throw new ApiError("redirect-url-mismatch");
  const { code_verifier: _, ui_locales, ...required } = request;
  const parameters = { ...required, ...(ui_locales !== undefined && { ui_locales }) };
  return { request, client, query: new URLSearchParams(parameters).toString() };
}

/** `Location` of the answer to the app, which names who answers (RFC 9207). */
export function answerLocation(
  { config }: Deps,
  { client, request }: KnownRequest,
  answer: Readonly<Record<string, string>>,
): string {
  const parameters = { ...answer, state: request.state, iss: config.publicUrl };
  const location = redirectWith(client.redirectUrl, parameters);
  if (location === undefined) throw new ApiError("redirect-url-mismatch");
  return location;
}
