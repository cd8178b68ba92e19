import { closeSockets } from "#shared/events/sockets/socket-closure.ts";
import type { Change } from "#shared/platform/messaging/change.ts";
import type { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { SessionStore } from "#shared/sessions/session-store.ts";
import type { Account } from "./account.ts";
import type { AccountStore } from "./account-store.ts";
import { indexUpdateMessages } from "./index-update.ts";

interface Deps {
  readonly accounts: AccountStore;
  readonly outbox: Outbox;
  readonly sessions: SessionStore;
}

/**
 * Decides how to suspend or resume an account. Suspending revokes all cookies, closes all sockets and hides the user from
 * search; access tokens that were already issued simply expire.
 *
 * @param options.isWithTeam whether a suspension ends with that of the account's team
 */
export function statusChange(
  { accounts, outbox, sessions }: Deps,
  account: Account,
  status: "active" | "suspended",
  { isWithTeam = false } = {},
): Change {
  const isSuspended = status === "suspended";
  const sessionEpoch = account.sessionEpoch + Number(isSuspended);
  const isSuspendedWithTeam = isSuspended && isWithTeam ? (true as const) : undefined;
  const changed: Account = { ...account, status, isSuspendedWithTeam, sessionEpoch };
  return {
    writes: [
      ...accounts.save(account, changed),
      ...(isSuspended ? [sessions.revokeAll(account.userId, sessionEpoch)] : []),
    ],
    messages: [
      ...indexUpdateMessages(outbox, account, changed),
      ...(isSuspended ? [closeSockets(outbox, { userId: account.userId })] : []),
    ],
  };
}
