import { closeSockets } from "#shared/events/sockets/socket-closure.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { type Change, change } from "#shared/platform/messaging/change.ts";
import { mayCommit } from "#shared/platform/messaging/commit-guard.ts";
import { withoutCookies } from "#shared/sessions/cookies.ts";
import type { Account } from "../account.ts";
import type { AccountDeps } from "../account-deps.ts";
import { chargePasswordCheck } from "../credentials/charge-password-check.ts";
import { verifyNothing, verifyPassword } from "../credentials/password.ts";
import { enteredIdentity, storedEmailIdentity } from "../identity.ts";

type Deps = Pick<AccountDeps, "accounts" | "dynamo" | "outbox" | "passwordChecks" | "sessions" | "settings">;

export interface RemoveCookies {
  readonly userId: string;
  readonly email?: string;
  readonly password: string;
  readonly ids: readonly number[];
  readonly labels: readonly string[];
}

/**
 * Revoke cookies by id and by label; all of them when neither is named, with the sessions of pages. Their sockets close.
 * Unknown ones are ignored. Users of single sign-on need no password, because few have one.
 *
 * @throws ApiError `invalid-credentials` for a wrong password, and for an account without email or password;
 *   `login-budget-exhausted`, `too-many-requests`
 * @see operation `remove-cookies`
 */
export async function removeCookies(deps: Deps, command: RemoveCookies): Promise<void> {
  const { accounts, outbox, sessions } = deps;
  const { userId, ids, labels } = command;
  const [account] = await Promise.all([accounts.get(userId), mayCommit()]);
  if (account?.samlIdentity === undefined) await checkOwner(deps, account, command);
  if (ids.length === 0 && labels.length === 0) {
    return change(deps, async (attempt) => {
      const current = attempt === 1 ? account : await accounts.get(userId);
      return current === undefined || current.status === "deleted"
        ? undefined
        : endSessionsSoFar(deps, current);
    });
  }
  await sessions.change(userId, (current) => ({
    next: withoutCookies(
      current,
      ({ id, label }) => ids.includes(id) || (label !== undefined && labels.includes(label)),
    ),
    messages: [closeSockets(outbox, { userId })],
    result: undefined,
  }));
}

async function checkOwner(
  deps: Deps,
  account: Account | undefined,
  { userId, email, password }: Pick<RemoveCookies, "userId" | "email" | "password">,
): Promise<void> {
  const { passwordChecks, settings } = deps;
  const isOwner = account !== undefined && isOwnEmail(account, email, deps);
  await chargePasswordCheck(passwordChecks, { userId });
  const isCorrect =
    isOwner && account.passwordHash !== undefined
      ? await verifyPassword(password, account.passwordHash)
      : await verifyNothing(password, settings.setPasswordHashingOptions);
  if (!isCorrect) throw new ApiError("invalid-credentials");
  await passwordChecks.refund({ userId });
}

function isOwnEmail({ email }: Account, named: string | undefined, { settings }: Deps): boolean {
  if (email === undefined) return false;
  if (named === undefined) return true;
  return enteredIdentity({ email: named }, settings).key === storedEmailIdentity(email, settings).key;
}

/** Ends all present sessions. Concurrent logins count as later ones, because the password is still right. */
function endSessionsSoFar({ accounts, outbox, sessions }: Deps, account: Account): Change {
  const { userId, sessionEpoch } = account;
  return {
    writes: [
      ...accounts.save(account, { ...account, sessionEpoch: sessionEpoch + 1 }),
      sessions.revokeAll(userId, sessionEpoch),
    ],
    messages: [closeSockets(outbox, { userId })],
  };
}
