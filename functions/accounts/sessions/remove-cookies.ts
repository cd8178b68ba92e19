import type { Account } from "#shared/accounts/account.ts";
import { chargePasswordCheck } from "#shared/accounts/credentials/charge-password-check.ts";
import { verifyNothing, verifyPassword } from "#shared/accounts/credentials/password.ts";
import { emailIdentity } from "#shared/accounts/identity.ts";
import { closeSockets } from "#shared/events/sockets/socket-closure.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { withoutCookies } from "#shared/sessions/cookies.ts";
import type { Deps } from "./deps.ts";

/**
 * Revoke cookies by id and by label; all of them when neither is named. Their sockets close. Unknown
 * ones are ignored.
 *
 * @throws ApiError `invalid-credentials` for a wrong password, and for an account without e-mail or password;
 *   `login-budget-exhausted`, `too-many-requests`
 * @see operation `remove-cookies`
 */
export async function removeCookies(
  deps: Deps,
  command: {
    userId: string;
    email?: string;
    password: string;
    ids: readonly number[];
    labels: readonly string[];
  },
): Promise<void> {
  const { accounts, outbox, passwordChecks, sessions, settings } = deps;
  const { userId, password, ids, labels } = command;
  const account = await accounts.get(userId);
  const isOwner = account !== undefined && isOwnEmail(account, command.email, deps);
  await chargePasswordCheck(passwordChecks, { userId });
  const isCorrect =
    isOwner && account.passwordHash !== undefined
      ? await verifyPassword(password, account.passwordHash)
      : await verifyNothing(password, settings.setPasswordHashingOptions);
  if (!isCorrect) throw new ApiError("invalid-credentials");
  await passwordChecks.refund({ userId });
  const removesAll = ids.length === 0 && labels.length === 0;
  await sessions.change(userId, (current) => ({
    next: withoutCookies(
      current,
      ({ id, label }) => removesAll || ids.includes(id) || (label !== undefined && labels.includes(label)),
    ),
    messages: [closeSockets(outbox, { userId })],
    result: undefined,
  }));
}

function isOwnEmail({ email }: Account, named: string | undefined, { settings }: Deps): boolean {
  if (email === undefined) return false;
  return named === undefined || emailIdentity(named, settings).key === emailIdentity(email, settings).key;
}
