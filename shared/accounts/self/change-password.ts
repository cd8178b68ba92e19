import { type Account, isActivated } from "#shared/accounts/account.ts";
import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import { chargePasswordCheck } from "#shared/accounts/credentials/charge-password-check.ts";
import { hashPassword, verifyPassword } from "#shared/accounts/credentials/password.ts";
import { closeSockets } from "#shared/events/sockets/socket-closure.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { ownAccount } from "./change-account.ts";

type Deps = Pick<
  AccountDeps,
  "accounts" | "clock" | "dynamo" | "outbox" | "passwordChecks" | "sessions" | "settings"
>;

export interface PasswordChange {
  /** Absent when the account has none yet. */
  readonly oldPassword?: string;
  readonly newPassword: string;
}

/**
 * Set or replace the password. Replacing it revokes all cookies, the caller's too, and closes all sockets; setting the
 * first one does neither.
 *
 * @throws ApiError `no-identity`, `suspended`, `invalid-credentials` (the old password is wrong or missing, or is given
 *   although there is none), `password-must-differ`, `login-budget-exhausted`, `too-many-requests`
 * @see operation `change-password`
 */
export async function changePassword(
  deps: Deps,
  userId: string,
  { oldPassword, newPassword }: PasswordChange,
): Promise<void> {
  const { accounts, outbox, passwordChecks, sessions, settings } = deps;
  const account = await ownAccount(deps, userId);
  if (!isActivated(account)) throw new ApiError("no-identity");
  if (account.status === "suspended") throw new ApiError("suspended");
  await chargePasswordCheck(passwordChecks, { userId });
  await checkOldPassword(account, oldPassword);
  await passwordChecks.refund({ userId });
  if (oldPassword === newPassword) throw new ApiError("password-must-differ");
  const passwordHash = await hashPassword(newPassword, settings.setPasswordHashingOptions);

  await change(deps, async (attempt) => {
    const current = attempt === 1 ? account : await ownAccount(deps, userId);
    if (current.passwordHash !== account.passwordHash) await checkOldPassword(current, oldPassword);
    if (current.passwordHash === undefined) {
      return { writes: accounts.save(current, { ...current, passwordHash }) };
    }
    const sessionEpoch = current.sessionEpoch + 1;
    return {
      writes: [
        ...accounts.save(current, { ...current, passwordHash, sessionEpoch }),
        sessions.revokeAll(userId, sessionEpoch),
      ],
      messages: [closeSockets(outbox, { userId })],
    };
  });
}

async function checkOldPassword({ passwordHash }: Account, oldPassword: string | undefined): Promise<void> {
  const isCorrect =
    passwordHash === undefined || oldPassword === undefined
      ? passwordHash === oldPassword
      : await verifyPassword(oldPassword, passwordHash);
  if (!isCorrect) throw new ApiError("invalid-credentials");
}
