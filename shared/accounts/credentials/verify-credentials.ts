import type { Clock } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { ErrorName } from "#shared/registry/errors.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Claim } from "../account.ts";
import type { AccountStore } from "../account-store.ts";
import { waitingCodes } from "../activation/activation-code.ts";
import { contactIdentity, handleIdentity, type Identity } from "../identity.ts";
import type { IdentityLookup } from "../identity-lookup.ts";
import { chargePasswordCheck } from "./charge-password-check.ts";
import { verifyNothing, verifyPassword } from "./password.ts";
import type { PasswordCheckLimiter } from "./password-check-limiter.ts";

interface Deps {
  readonly accounts: AccountStore;
  readonly clock: Clock;
  readonly identities: IdentityLookup;
  readonly passwordChecks: PasswordCheckLimiter;
  readonly settings: Settings;
}

/** One of a user's identities, and the password. */
export interface Credentials {
  readonly email?: string;
  readonly phone?: string;
  readonly handle?: string;
  readonly password: string;
}

/** The account that credentials name, or a decoy. */
interface Candidate {
  /** Set even for an identity that nobody holds: its checks are counted like all others, so limits reveal nothing. */
  readonly userId: string;
  readonly passwordHash?: string;
  readonly sessionEpoch: number;
  /** Why the login is refused even if the password is right. */
  readonly obstacle?: ErrorName;
}

/**
 * Find the account that credentials belong to. An unknown identity takes as long as a wrong password and fails in the
 * same way; only a caller who knows the password learns the state of the account. The check is charged and not
 * refunded: the caller refunds it once nothing else can fail.
 *
 * @throws ApiError `invalid-credentials`, `pending-activation`, `suspended`, `ephemeral`, `login-budget-exhausted`,
 *   `invalid-email`, `invalid-phone`
 * @throws RateLimitedError
 */
export async function verifyCredentials(deps: Deps, credentials: Credentials): Promise<Candidate> {
  const { passwordChecks, settings } = deps;
  const hashing = settings.setPasswordHashingOptions;
  const candidate = await findCandidate(deps, credentials);
  const { userId, passwordHash, obstacle } = candidate;
  await chargePasswordCheck(passwordChecks, userId);
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
  const pending = waitingCodes(activation, clock()).findLast((code) => code.userId !== undefined);
  if (pending === undefined) return decoy(identity);
  const { userId = "", passwordHash } = pending;
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
