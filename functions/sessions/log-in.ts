import { hashPassword, isRehashDue, verifyNothing, verifyPassword } from "#shared/auth/password.ts";
import { countPasswordCheck, refuseWrongPassword } from "#shared/auth/password-checks.ts";
import { toSeconds } from "#shared/clock.ts";
import type { Claim } from "#shared/data/account/account.ts";
import {
  emailIdentity,
  handleIdentity,
  type Identity,
  phoneIdentity,
} from "#shared/data/account/identity.ts";
import { isLive } from "#shared/data/code/code.ts";
import { retryStale, transact } from "#shared/data/conditions.ts";
import { ApiError, type ErrorName } from "#shared/errors.ts";
import type { Deps } from "./deps.ts";
import { type OpenedSession, openSession } from "./open-session.ts";

export interface LogInCommand {
  readonly email?: string;
  readonly phone?: string;
  readonly handle?: string;
  readonly password: string;
  readonly label?: string;
  readonly isPersistent: boolean;
}

/** Whom a password is checked for. */
interface Candidate {
  readonly userId: string;
  readonly passwordHash?: string;
  /** Why the login is refused though the password is right. */
  readonly obstacle?: ErrorName;
}

/**
 * Log in with a password. An unknown identity costs as much as a wrong password and answers the same; the state of
 * an account is told only to who knows its password.
 *
 * @throws ApiError as the route lists, in the order of spec heading Login
 * @see operation `login`
 */
export async function logIn(deps: Deps, command: LogInCommand): Promise<OpenedSession> {
  const { sessions, settings } = deps;
  const now = deps.clock();
  const candidate = await findCandidate(deps, command);
  const hash = candidate?.passwordHash;
  if (candidate === undefined || hash === undefined) {
    await verifyNothing(command.password, settings.setPasswordHashingOptions);
    throw new ApiError("invalid-credentials");
  }
  const { userId, obstacle } = candidate;
  if (!(await verifyPassword(command.password, hash))) {
    return refuseWrongPassword(sessions, userId, { settings, now });
  }
  if (obstacle !== undefined) {
    await sessions.change(userId, (current) => ({
      next: countPasswordCheck(current, { isRight: true, settings, now }),
      result: undefined,
    }));
    throw new ApiError(obstacle);
  }
  const session = await openSession(deps, userId, { ...command, countsPassword: true });
  if (isRehashDue(hash, settings.setPasswordHashingOptions))
    await rehash(deps, userId, hash, command.password);
  return session;
}

async function findCandidate(
  deps: Deps,
  { email, phone, handle }: LogInCommand,
): Promise<Candidate | undefined> {
  const { accounts, clock, identities, settings } = deps;
  if (handle !== undefined) return toCandidate(await accounts.findClaim(handleIdentity(handle)));
  const identity: Identity =
    email !== undefined ? emailIdentity(email, settings) : phoneIdentity(phone ?? "");
  const { claim, activation } = await identities.find(identity as ReturnType<typeof emailIdentity>);
  if (claim !== undefined) return toCandidate(claim);
  if (activation?.userId === undefined || !isLive({ ...activation, attempts: 0 }, toSeconds(clock())))
    return undefined;
  return { userId: activation.userId, passwordHash: activation.passwordHash, obstacle: "pending-activation" };
}

const obstacles: Partial<Record<Claim["status"], ErrorName>> = {
  suspended: "suspended",
  ephemeral: "ephemeral",
  "pending-invitation": "pending-activation",
  deleted: "invalid-credentials",
};

const toCandidate = (claim: Claim | undefined): Candidate | undefined =>
  claim && { userId: claim.userId, passwordHash: claim.passwordHash, obstacle: obstacles[claim.status] };

/** Replace the hash unless it has been changed since. */
async function rehash({ accounts, client, settings }: Deps, userId: string, hash: string, password: string) {
  const passwordHash = await hashPassword(password, settings.setPasswordHashingOptions);
  await retryStale(async () => {
    const account = await accounts.get(userId);
    if (account?.passwordHash === hash)
      await transact(client, accounts.save(account, { ...account, passwordHash }));
  });
}
