import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import { noteAccount } from "#shared/platform/audit/audited.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import { charge } from "#shared/platform/usage/measured-work.ts";
import type { ErrorName } from "#shared/registry/errors.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Sessions } from "#shared/sessions/session.ts";
import { type Claim, loginObstacle } from "../account.ts";
import { pendingCodes } from "../activation/activation-code.ts";
import { type ContactIdentity, enteredIdentity, type Identity } from "../identity.ts";
import { needsSecondFactor } from "../second-factor/second-factor.ts";
import { chargeLogin } from "./charge-password-check.ts";
import { hashPassword, isRehashDue, verifyNothing, verifyPassword } from "./password.ts";
import type { LoginScope } from "./password-check-limiter.ts";

type Deps = Pick<
  AccountDeps,
  "accounts" | "clock" | "counts" | "features" | "identities" | "passwordChecks" | "rateLimiter" | "settings"
> &
  // For callers who are going to open a session.
  Partial<Pick<AccountDeps, "sessions">>;

/** One of a user's identities, and the password. */
export interface Credentials {
  readonly email?: string;
  readonly phone?: string;
  readonly handle?: string;
  readonly password: string;
}

/** The account that credentials name, or a decoy. */
interface Candidate {
  readonly userId: string;
  readonly teamId?: string;
  readonly hasSamlIdentity?: boolean;
  readonly passwordHash?: string;
  readonly sessionEpoch: number;
  /** Why the login is refused even if the password is right. */
  readonly obstacle?: ErrorName;
}

/** Credentials that proved correct. */
interface Verified extends Pick<Candidate, "userId" | "passwordHash" | "sessionEpoch"> {
  /** The scope to which the check was charged. */
  readonly scope: LoginScope;
  readonly isFamiliar: boolean;
  /** Whether the login also takes a code. */
  readonly needsCode: boolean;
  /** The user's sessions, read after the claim, if they are among the dependencies. */
  readonly known: Sessions | undefined;
}

/**
 * Find the account that credentials belong to. An unknown identity takes as long as a wrong password and fails in the
 * same way; only a caller who knows the password learns the state of the account. The check is charged by identity, so
 * that limits reveal nothing, while the account is read. The caller refunds it with `settleLogin` once nothing else can
 * fail. Sessions, and whether the user's team requires a second factor, are read while the password is checked.
 *
 * @throws ApiError `invalid-credentials`, `pending-activation`, `suspended`, `ephemeral`, `login-budget-exhausted`
 * @throws RateLimitedError
 */
export async function verifyCredentials(
  deps: Deps,
  credentials: Credentials,
  sourceIp: string,
): Promise<Verified> {
  const { passwordChecks, settings } = deps;
  const hashing = settings.setPasswordHashingOptions;
  const scope = loginScope(credentials, sourceIp, settings);
  const [{ obstacle, passwordHash, ...candidate }, { isFamiliar }] = await Promise.all([
    findCandidate(deps, credentials),
    chargeLogin(deps, scope),
  ]);
  const { userId } = candidate;
  const [isRight, needsCode, known] = await Promise.all([
    passwordHash === undefined
      ? verifyNothing(credentials.password, hashing)
      : verifyPassword(credentials.password, passwordHash),
    needsSecondFactor(deps, candidate),
    userId === nobody.userId ? undefined : deps.sessions?.get(userId),
  ]);
  await charge(async () => candidate.teamId);
  if (userId !== nobody.userId) noteAccount(userId, candidate.teamId);
  if (!isRight) {
    await deps.counts.add({ failedLogins: 1 });
    throw new ApiError("invalid-credentials");
  }
  if (obstacle !== undefined) {
    await passwordChecks.refund(scope);
    throw new ApiError(obstacle);
  }
  return { ...candidate, passwordHash, scope, isFamiliar, needsCode, known };
}

/** The scope to which a login with these credentials is charged. */
export function loginScope(
  entered: Omit<Credentials, "password">,
  sourceIp: string,
  settings: Settings,
): LoginScope {
  return { identity: enteredIdentity(entered, settings), network: networkOf(sourceIp) };
}

/** Refund a successful login, and record that the owner uses the network. */
export async function settleLogin(
  { passwordChecks }: Pick<Deps, "passwordChecks">,
  { scope, isFamiliar }: Pick<Verified, "scope" | "isFamiliar">,
): Promise<void> {
  await Promise.all([passwordChecks.refund(scope), isFamiliar || passwordChecks.rememberNetwork(scope)]);
}

async function findCandidate(deps: Deps, credentials: Credentials): Promise<Candidate> {
  const { accounts, clock, identities, settings } = deps;
  const identity = enteredIdentity(credentials, settings);
  if (!isContact(identity)) {
    const claim = await accounts.findClaim(identity);
    return claim ? toCandidate(claim) : nobody;
  }
  const { claim, activation } = await identities.find(identity);
  if (claim !== undefined) return toCandidate(claim);
  const pending = pendingCodes(activation, clock()).findLast((code) => code.userId !== undefined);
  if (pending === undefined) return nobody;
  const { userId = "", passwordHash } = pending;
  return { userId, passwordHash, sessionEpoch: 0, obstacle: "pending-activation" };
}

const isContact = (identity: Identity): identity is ContactIdentity =>
  identity.kind === "email" || identity.kind === "phone";

/** Stands in for the owner of an identity that nobody holds; it has no password. */
const nobody: Candidate = { userId: "", sessionEpoch: 0 };

const toCandidate = ({ status, ...claim }: Claim): Candidate => ({
  ...claim,
  obstacle: loginObstacle(status),
});

type RehashDeps = Pick<AccountDeps, "accounts" | "dynamo" | "settings">;

/** Replace the hash of a password that was right, if it is an imported one or weaker than ours, unless it has changed since. */
export async function rehash(
  deps: RehashDeps,
  { userId, passwordHash: hash }: Pick<Verified, "userId" | "passwordHash">,
  password: string,
): Promise<void> {
  const { accounts, settings } = deps;
  const hashing = settings.setPasswordHashingOptions;
  if (hash === undefined || !isRehashDue(hash, hashing)) return;
  const passwordHash = await hashPassword(password, hashing);
  await change(
    deps,
    async () => {
      const account = await accounts.get(userId);
      if (account?.passwordHash !== hash) return undefined;
      return { writes: accounts.save(account, { ...account, passwordHash }) };
    },
    { isGuarded: false },
  );
}
