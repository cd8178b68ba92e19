import { endAllSessions } from "#shared/accounts/end-all-sessions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "./deps.ts";

/**
 * Log a user out everywhere: see `endAllSessions`.
 *
 * @throws ApiError `not-found`
 * @see operation `i-log-out-user`
 */
export async function logOutUser(deps: Deps, userId: string): Promise<void> {
  await change(deps, async () => {
    const account = await deps.accounts.get(userId);
    if (account === undefined || account.status === "deleted") throw new ApiError("not-found");
    return endAllSessions(deps, account);
  });
}
