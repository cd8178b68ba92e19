import type * as z from "zod";
import { isRegistered } from "#shared/oauth/app.ts";
import { consentingUser, createAuthorizationCode } from "#shared/oauth/create-authorization-code.ts";
import { redirectWith } from "#shared/oauth/redirect-with.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { mayCommit } from "#shared/platform/messaging/commit-guard.ts";
import type { Deps } from "./deps.ts";
import type { codeRequest } from "./schemas.ts";

/** Where to send the browser of a user who lets an app access the account: `location` is absent for an unusable URL. */
type CodeAnswer =
  | { readonly status: 201; readonly location: string }
  | { readonly status: 400 | 403 | 404; readonly location: string | undefined };

/**
 * Create an authorization code for an app, as the user decided. The redirect tells the app about a refusal.
 *
 * @throws ApiError `redirect-url-mismatch`
 * @see operation `create-oauth-auth-code`
 */
export async function requestCode(
  deps: Deps,
  actor: Actor,
  request: z.output<typeof codeRequest>,
): Promise<CodeAnswer> {
  const { apps, config, settings } = deps;
  const { state } = request;
  // The issuer is named in refusals, too (RFC 9207 §2).
  const iss = config.publicUrl;
  const refuse = (status: 400 | 403 | 404, description: string) => {
    const problem = { error: "access_denied", error_description: description, state, iss };
    return { status, location: redirectWith(request.redirect_uri, problem) };
  };
  if (!settings.setOAuthEnabled) return refuse(403, "OAuth is switched off");
  if (request.response_type !== "code") return refuse(400, "The response type must be code");
  const [app, user] = await Promise.all([
    apps.get(request.client_id),
    consentingUser(deps, actor),
    mayCommit(),
  ]);
  if (app === undefined) return refuse(404, "Unknown app");
  if (!isRegistered(app, request.redirect_uri)) throw new ApiError("redirect-url-mismatch");
  if (user === undefined) return refuse(403, "The user has logged out");
  const code = await createAuthorizationCode(deps, { user, app, request });
  return { status: 201, location: redirectWith(request.redirect_uri, { code, state, iss }) ?? "" };
}
