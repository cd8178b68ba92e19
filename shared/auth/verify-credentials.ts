import { type Clock, toSeconds } from "../clock.ts";
import type { Claim } from "../data/account/account.ts";
import type { AccountStore } from "../data/account/account-store.ts";
import { contactIdentity, handleIdentity, type Identity } from "../data/account/identity.ts";
import { isLive } from "../data/code/code.ts";
import type { IdentityLookup } from "../data/identity-lookup.ts";
import type { PasswordCheckLimiter } from "../data/password-check/password-check-limiter.ts";
import { ApiError, type ErrorName } from "../errors.ts";
import type { Settings } from "../settings.ts";
import { verifyNothing, verifyPassword } from "./password.ts";

interface Deps {
  readonly accounts: AccountStore;
  readonly clock: Clock;
  readonly identities: IdentityLookup;
  readonly passwordChecks: PasswordCheckLimiter;
  readonly settings: Settings;
}

/** Somebody by one of the identities, and the password. */
export interface Credentials {
  readonly email?: string;
  readonly phone?: string;
  readonly handle?: string;
  readonly password: string;
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
 * Whose credentials these are. An unknown identity costs as much as a wrong password and answers the same; the state of
 * an account is told only to who knows its password. The check is charged and not refunded: that is up to the caller,
 * as soon as nothing else can be wrong.
 *
 * @throws ApiError `invalid-credentials`, `pending-activation`, `suspended`, `ephemeral`, `login-budget-exhausted`,
 *   `too-many-requests`, `invalid-email`, `invalid-phone`
 */
export async function verifyCredentials(deps: Deps, credentials: Credentials): Promise<Candidate> {
  const { passwordChecks, settings } = deps;
  const hashing = settings.setPasswordHashingOptions;
  const candidate = await findCandidate(deps, credentials);
  const { userId, passwordHash, obstacle } = candidate;
  await passwordChecks.charge(userId);
  const isRight =
    passwordHash === undefined
      ? await verifyNothing(credentials.password, hashing)
      : await verifyPassword(credentials.password, passwordHash);
  if (!isRight) throw new ApiError("invalid-credentials");
  if (obstacle !== undefined) {
    await passwordChecks.refund(userId);
    throw new ApiError(obstacle);
  }
  return candidate;
}

async function findCandidate(deps: Deps, credentials: Credentials): Promise<Candidate> {
  const { accounts, clock, identities, settings } = deps;
  if (credentials.handle !== undefined) {
    const identity = handleIdentity(credentials.handle);
    const claim = await accounts.findClaim(identity);
    return claim ? toCandidate(claim) : decoy(identity);
  }
  const identity = contactIdentity(credentials, settings);
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
