import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import { closeSockets } from "#shared/events/sockets/socket-closure.ts";
import type { Change } from "#shared/platform/messaging/change.ts";
import type { Account } from "./account.ts";

type Deps = Pick<AccountDeps, "accounts" | "outbox" | "sessions">;

/**
 * Decides how to log a user out everywhere: all cookies are revoked, all sockets close, pages end their sessions, and logins
 * that have begun before are refused. The cookies of a legal hold device stay, because they are the team's.
 */
export function endAllSessions({ accounts, outbox, sessions }: Deps, account: Account): Change {
  const { userId } = account;
  const sessionEpoch = account.sessionEpoch + 1;
  return {
    writes: [
      ...accounts.save(account, { ...account, sessionEpoch }),
      sessions.revokeAll(userId, sessionEpoch),
    ],
    messages: [closeSockets(outbox, { userId })],
  };
}
