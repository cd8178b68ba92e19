import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import { closeSockets } from "#shared/events/sockets/socket-closure.ts";
import { type Change, combine } from "#shared/platform/messaging/change.ts";
import type { Account } from "./account.ts";
import { indexUpdateMessages } from "./index-update.ts";

type Deps = Pick<AccountDeps, "accounts" | "outbox" | "sessions">;

/**
 * Decides how to suspend or resume an account. Suspending revokes all cookies, closes all sockets and hides the user from
 * search; access tokens that were already issued simply expire.
 *
 * @param options.isWithTeam whether the suspension ends with that of the account's team
 */
export function statusChange(
  deps: Deps,
  account: Account,
  status: "active" | "suspended",
  options: { isWithTeam?: boolean } = {},
): Change {
  const changed = withStatus(account, status, options);
  const saved = {
    writes: deps.accounts.save(account, changed),
    messages: indexUpdateMessages(deps.outbox, account, changed),
  };
  return combine(saved, effectsOf(deps, changed));
}

/** The account with another status, for use cases that also change other fields. They need `effectsOf`, too. */
export function withStatus(
  account: Account,
  status: "active" | "suspended",
  { isWithTeam = false }: { isWithTeam?: boolean } = {},
): Account {
  const isSuspended = status === "suspended";
  return {
    ...account,
    status,
    isSuspendedWithTeam: isSuspended && isWithTeam ? true : undefined,
    sessionEpoch: account.sessionEpoch + Number(isSuspended),
  };
}

/** Decides the effects of a new status on the sessions of an account. */
export function effectsOf(
  { outbox, sessions }: Pick<Deps, "outbox" | "sessions">,
  { userId, status, sessionEpoch }: Account,
): Change {
  return status === "suspended"
    ? {
        writes: [sessions.revokeAll(userId, sessionEpoch), sessions.removeLegalHold(userId)],
        messages: [closeSockets(outbox, { userId })],
      }
    : { writes: [], messages: [] };
}
