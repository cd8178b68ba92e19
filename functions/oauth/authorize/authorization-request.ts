import type { App } from "#shared/oauth/app.ts";
import { redirectWith } from "#shared/oauth/redirect-with.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";
import type { AuthorizationRequest } from "./schemas.ts";

/** An authorization request of a registered app: from here on, responses may go to its redirect URL. */
export interface KnownRequest {
  readonly request: AuthorizationRequest;
  readonly app: App;
  /** The request as the query of a form's action. */
  readonly query: string;
}

/**
 * Check that the app is registered, and that its redirect URL is exactly the registered one (RFC 9700 §2.1).
 * @throws ApiError `not-found`, `redirect-url-mismatch`
 */
export async function checkRequest({ apps }: Deps, request: AuthorizationRequest): Promise<KnownRequest> {
  const app = await apps.get(request.client_id);
  if (app === undefined) throw new ApiError("not-found");
  if (request.redirect_uri !== app.redirectUrl) throw new ApiError("redirect-url-mismatch");
  const { code_verifier: _, ui_locales, ...required } = request;
  const parameters = { ...required, ...(ui_locales !== undefined && { ui_locales }) };
  return { request, app, query: new URLSearchParams(parameters).toString() };
}

/** `Location` of the response to the app, which names its issuer (RFC 9207). */
export function answerLocation(
  { config }: Deps,
  { app, request }: KnownRequest,
  answer: Readonly<Record<string, string>>,
): string {
  const parameters = { ...answer, state: request.state, iss: config.publicUrl };
  const location = redirectWith(app.redirectUrl, parameters);
  if (location === undefined) throw new ApiError("redirect-url-mismatch");
  return location;
}
