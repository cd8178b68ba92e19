import { hashPassword, isRehashDue, verifyNothing, verifyPassword } from "#shared/auth/password.ts";
import { toSeconds } from "#shared/clock.ts";
import type { Claim } from "#shared/data/account/account.ts";
import { contactIdentity, handleIdentity, type Identity } from "#shared/data/account/identity.ts";
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
  /** Also of an identity that nobody has: its checks are counted like anybody's, so limits tell nothing. */
  readonly userId: string;
  readonly passwordHash?: string;
  readonly sessionEpoch: number;
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
  const { passwordChecks, settings } = deps;
  const hashing = settings.setPasswordHashingOptions;
  const candidate = await findCandidate(deps, command);
  const { userId, passwordHash, obstacle } = candidate;
  await passwordChecks.charge(userId);
  const isRight =
    passwordHash === undefined
      ? await verifyNothing(command.password, hashing)
      : await verifyPassword(command.password, passwordHash);
  if (!isRight) throw new ApiError("invalid-credentials");
  await passwordChecks.refund(userId);
  if (obstacle !== undefined) throw new ApiError(obstacle);
  const session = await openSession(deps, candidate, command);
  if (passwordHash !== undefined && isRehashDue(passwordHash, hashing)) {
    await rehash(deps, userId, passwordHash, command.password);
  }
  return session;
}

async function findCandidate(deps: Deps, command: LogInCommand): Promise<Candidate> {
  const { accounts, clock, identities, settings } = deps;
  if (command.handle !== undefined) {
    const identity = handleIdentity(command.handle);
    const claim = await accounts.findClaim(identity);
    return claim ? toCandidate(claim) : decoy(identity);
  }
  const identity = contactIdentity(command, settings);
  const { claim, activation } = await identities.find(identity);
  if (claim !== undefined) return toCandidate(claim);
  const isPending =
    activation?.userId !== undefined && isLive({ ...activation, attempts: 0 }, toSeconds(clock()));
  if (!isPending) return decoy(identity);
  const { userId = "", passwordHash } = activation;
  return { userId, passwordHash, sessionEpoch: 0, obstacle: "pending-activation" };
}

const decoy = ({ kind, key }: Identity): Candidate => ({ userId: `decoy#${kind}#${key}`, sessionEpoch: 0 });

const obstacles: Partial<Record<Claim["status"], ErrorName>> = {
  suspended: "suspended",
  ephemeral: "ephemeral",
  "pending-invitation": "pending-activation",
  deleted: "invalid-credentials",
};

const toCandidate = ({ status, ...claim }: Claim): Candidate => ({ ...claim, obstacle: obstacles[status] });

/** Replace the hash unless it has been changed since. */
async function rehash({ accounts, client, settings }: Deps, userId: string, hash: string, password: string) {
  const passwordHash = await hashPassword(password, settings.setPasswordHashingOptions);
  await retryStale(async () => {
    const account = await accounts.get(userId);
    if (account?.passwordHash === hash)
      await transact(client, accounts.save(account, { ...account, passwordHash }));
  });
}
