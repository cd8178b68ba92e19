import { describeAudited } from "#shared/platform/audit/audited.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { presentedBearer, presentedCookies } from "#shared/sessions/presented-tokens.ts";
import type { Deps } from "./deps.ts";

/**
 * Find the user of a request that must carry both a valid cookie and a valid access token of the same user.
 *
 * @throws ApiError `missing-cookie`, `missing-cookie-and-token`, `missing-token`, `token-expired`, `invalid-token`,
 *   `token-mismatch`, all of which callers see as `invalid-credentials`
 */
export async function userOfBothTokens(
  { clock, sessions, verifier }: Deps,
  request: { cookies: readonly string[]; bearer: string | undefined },
): Promise<string> {
  const cookies = await asCredential(presentedCookies(verifier, request));
  if (request.bearer === undefined) throw new ApiError("missing-token");
  const { userId, expiresAtSeconds } = await asCredential(presentedBearer(verifier, request.bearer));
  if (expiresAtSeconds <= toSeconds(clock())) throw new ApiError("token-expired");
  const own = cookies.filter((cookie) => cookie.userId === userId);
  if (own.length === 0) throw new ApiError("token-mismatch");

  const { cookies: records } = await sessions.get(userId);
  const isLive = own.some(({ cookieId }) => (records[cookieId]?.expiresAt ?? 0) > clock());
  if (!isLive) throw new ApiError("invalid-token");
  describeAudited({ actor: { kind: "user", user: userId } });
  return userId;
}

/** Treats a token that cannot be parsed as a wrong credential. */
async function asCredential<Token>(reading: Promise<Token>): Promise<Token> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof ApiError) || error.error !== "unparsable-token") throw error;
    throw new ApiError("invalid-token", { cause: error });
  }
}
