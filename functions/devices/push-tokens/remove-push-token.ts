import { removePushTokens } from "#shared/events/push/remove-push-tokens.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";

/**
 * Remove a push token of a user.
 *
 * @throws ApiError `push-token-not-found`
 * @see operation `delete-push-token`
 */
export async function removePushToken(deps: Deps, userId: string, token: string): Promise<void> {
  const removed = await removePushTokens(deps, userId, (known) => known.token === token);
  if (removed === 0) throw new ApiError("push-token-not-found");
}
