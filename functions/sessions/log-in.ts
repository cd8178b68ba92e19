import { hashPassword, isRehashDue, verifyNothing, verifyPassword } from "#shared/auth/password.ts";
import { isSecondFactorRequired, lacksCode, proveSecondFactor } from "#shared/auth/second-factor.ts";
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
  /** Code of the second factor. */
  readonly secondFactor?: string;
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
  const [isRight, hasEmail] = await Promise.all([
    passwordHash === undefined
      ? verifyNothing(command.password, hashing)
      : verifyPassword(command.password, passwordHash),
    canBeMailed(deps, userId, command),
  ]);
  if (!isRight) throw new ApiError("invalid-credentials");
  const isCodeMissing = lacksCode({ candidate: command.secondFactor, hasEmail }, settings);
  const refusal = obstacle ?? (isCodeMissing ? "code-authentication-required" : undefined);
  if (refusal !== undefined) {
    await passwordChecks.refund(userId);
    throw new ApiError(refusal);
  }
  const code = await proveSecondFactor(deps, {
    userId,
    action: "login",
    candidate: command.secondFactor,
    hasEmail,
  });
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

/** Who logs in by e-mail has an address; of others the account tells, where it matters. */
async function canBeMailed(
  { accounts, settings }: Deps,
  userId: string,
  { email }: LogInCommand,
): Promise<boolean> {
  if (email !== undefined || !isSecondFactorRequired(settings)) return true;
  return (await accounts.get(userId))?.email !== undefined;
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
