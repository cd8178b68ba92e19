import { verifyNothing, verifyPassword } from "#shared/auth/password.ts";
import { countPasswordCheck, recordPasswordCheck } from "#shared/auth/password-checks.ts";
import type { Account } from "#shared/data/account/account.ts";
import { emailIdentity } from "#shared/data/account/identity.ts";
import { ApiError } from "#shared/errors.ts";
import type { Deps } from "./deps.ts";

/**
 * Revoke cookies by id and by label; all of them when neither is named. Unknown ones are ignored.
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
  const { accounts, sessions, settings } = deps;
  const { userId, password, ids, labels } = command;
  const now = deps.clock();
  const account = await accounts.get(userId);
  if (account?.passwordHash === undefined || !isOwnEmail(account, command.email, deps)) {
    await verifyNothing(password, settings.setPasswordHashingOptions);
    throw new ApiError("invalid-credentials");
  }
  if (!(await verifyPassword(password, account.passwordHash))) {
    await recordPasswordCheck(sessions, userId, { isRight: false, settings, now });
    throw new ApiError("invalid-credentials");
  }
  const removesAll = ids.length === 0 && labels.length === 0;
  await sessions.change(userId, (current) => {
    const counted = countPasswordCheck(current, { isRight: true, settings, now });
    const kept = Object.values(current.cookies).filter(
      ({ id, label }) => !removesAll && !ids.includes(id) && !(label !== undefined && labels.includes(label)),
    );
    const cookies = Object.fromEntries(kept.map((cookie) => [cookie.id, cookie]));
    return { next: { ...counted, cookies }, result: undefined };
  });
}

function isOwnEmail({ email }: Account, named: string | undefined, { settings }: Deps): boolean {
  if (email === undefined) return false;
  return named === undefined || emailIdentity(named, settings).key === emailIdentity(email, settings).key;
}
