import { hashPassword, isRehashDue } from "#shared/auth/password.ts";
import { lacksCode, proveSecondFactor } from "#shared/auth/second-factor.ts";
import { type Credentials, verifyCredentials } from "#shared/auth/verify-credentials.ts";
import { retryStale, transact } from "#shared/data/conditions.ts";
import { ApiError } from "#shared/errors.ts";
import type { Deps } from "./deps.ts";
import { type OpenedSession, openSession } from "./open-session.ts";

export interface LogInCommand extends Credentials {
  /** Code of the second factor. */
  readonly secondFactor?: string;
  readonly label?: string;
  readonly isPersistent: boolean;
}

/**
 * Log in with a password.
 *
 * @throws ApiError as the route lists, in the order of spec heading Login
 * @see operation `login`
 */
export async function logIn(deps: Deps, command: LogInCommand): Promise<OpenedSession> {
  const { passwordChecks, settings } = deps;
  const hashing = settings.setPasswordHashingOptions;
  const candidate = await verifyCredentials(deps, command);
  const { userId, passwordHash } = candidate;
  if (lacksCode(command.secondFactor, settings)) {
    await passwordChecks.refund(userId);
    throw new ApiError("code-authentication-required");
  }
  const code = await proveSecondFactor(deps, { userId, action: "login", candidate: command.secondFactor });
  // Nothing was wrong with password and code, whatever becomes of the session.
  const givenBack = Promise.all([passwordChecks.refund(userId), code && deps.codes.giveAttemptBack(code)]);
  const session = openSession(deps, candidate, command);
  await Promise.allSettled([givenBack, session]);
  await givenBack;
  const opened = await session;
  if (passwordHash !== undefined && isRehashDue(passwordHash, hashing)) {
    await rehash(deps, userId, passwordHash, command.password);
  }
  return opened;
}

/** Replace the hash unless it has been changed since. */
async function rehash({ accounts, client, settings }: Deps, userId: string, hash: string, password: string) {
  const passwordHash = await hashPassword(password, settings.setPasswordHashingOptions);
  await retryStale(async () => {
    const account = await accounts.get(userId);
    if (account?.passwordHash === hash)
      await transact(client, accounts.save(account, { ...account, passwordHash }));
  });
}
