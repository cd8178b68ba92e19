import { closeSockets } from "#shared/events/sockets/socket-closure.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "./deps.ts";

/**
 * Log a user out everywhere: revoke all cookies, close all sockets, and refuse logins that are under way. The cookies
 * of a legal hold device stay, because it belongs to the team.
 *
 * @throws ApiError `not-found`
 * @see operation `i-log-out-user`
 */
export async function logOutUser(deps: Deps, userId: string): Promise<void> {
  const { accounts, outbox, sessions } = deps;
  await change(deps, async () => {
    const account = await accounts.get(userId);
    if (account === undefined || account.status === "deleted") throw new ApiError("not-found");
    const sessionEpoch = account.sessionEpoch + 1;
    return {
      writes: [
        ...accounts.save(account, { ...account, sessionEpoch }),
        sessions.revokeAll(userId, sessionEpoch),
      ],
      messages: [closeSockets(outbox, { userId })],
    };
  });
}
