import { IdentityTakenError } from "#shared/accounts/account-errors.ts";
import {
  checkAllowList,
  checkAvailable,
  checkDomainNotBlocked,
  contactIdentities,
} from "#shared/accounts/activation/identity-rules.ts";
import { hashPassword } from "#shared/accounts/credentials/password.ts";
import type { ContactIdentity } from "#shared/accounts/identity.ts";
import { answerJoining, findInvitation } from "#shared/accounts/join-team.ts";
import { chargeSms, checkNumber } from "#shared/accounts/sms-allowance.ts";
import { allDone } from "#shared/platform/all-done.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { networkBucket, networkOf } from "#shared/platform/rate-limit/network.ts";
import { checkRegistration } from "#shared/teams/registered-domains/domain-rules.ts";
import {
  type Admission,
  accountCreation,
  codeFor,
  proveIdentities,
  type Registered,
  returnAttempts,
} from "./account-creation.ts";
import type { Deps } from "./deps.ts";
import type { NewUser } from "./routes.ts";

/**
 * Create an account. An identity that comes with its code is active immediately; any other is sent a code.
 * All checks, including those of the codes, come before anything is stored.
 *
 * @throws ApiError as the route lists; the order of the checks is part of the interface
 * @see operations `register` and `i-create-user`
 */
export async function register(
  deps: Deps,
  user: NewUser,
  sourceIp: string,
  { startsSession = true, isByOperator = false }: { startsSession?: boolean; isByOperator?: boolean } = {},
): Promise<Registered> {
  const { settings } = deps;
  if (!isByOperator) checkOpen(deps, user);
  checkAllowList(user, settings);
  checkDomainNotBlocked(user, settings);
  const wanted = contactIdentities(user, settings);
  await Promise.all(wanted.map(checkNumber));
  // One round trip, whether the registration is accepted or refused.
  const [, admission] = await allDone([
    chargeCodes(deps, sourceIp),
    admit(deps, user, wanted),
    chargeHash(deps, user, sourceIp),
  ]);
  const withoutCode = wanted.filter((identity) => codeFor(identity, user) === undefined);
  for (const identity of withoutCode) await chargeSms(deps, identity, { sourceIp });
  const [passwordHash, proofs] = await Promise.all([
    user.password && hashPassword(user.password, settings.setPasswordHashingOptions),
    proveIdentities(deps, admission.records, user, sourceIp),
  ]);

  try {
    return await change(deps, async (attempt) => {
      await checkIdUnused(deps, user);
      const current = attempt === 1 ? admission : await admit(deps, user, wanted);
      const request = { passwordHash, proofs, network: networkOf(sourceIp), startsSession };
      return accountCreation(deps, user, { ...current, ...request });
    })
      .catch(answer(IdentityTakenError, "key-exists"))
      .catch(answerJoining);
  } catch (error) {
    await returnAttempts(deps, proofs);
    throw error;
  }
}

function checkOpen({ settings }: Deps, user: NewUser): void {
  if (invitationCode(user) !== undefined) return;
  if (isAnonymous(user) && user.team === undefined) {
    if (!settings.setEphemeralUserCreationEnabled) throw new ApiError("ephemeral-user-creation-disabled");
  } else if (settings.setRestrictUserCreation) {
    throw new ApiError("user-creation-restricted");
  }
}

/** @throws ApiError `key-exists` when another user has, or had, the id that an operator chose */
async function checkIdUnused({ accounts }: Deps, { uuid }: NewUser): Promise<void> {
  if (uuid !== undefined && (await accounts.get(uuid)) !== undefined) throw new ApiError("key-exists");
}

async function chargeCodes({ rateLimiter, settings }: Deps, sourceIp: string): Promise<void> {
  await rateLimiter.take(networkBucket("codes", sourceIp), settings.setCodeDeliveryRateLimitPerIp);
}

/** Charges a registration with a password before the hash is computed, so that a refused one costs no hash. */
async function chargeHash({ rateLimiter, settings }: Deps, { password }: NewUser, sourceIp: string) {
  if (password === undefined) return;
  await rateLimiter.take(networkBucket("registration", sourceIp), settings.setPasswordHashingRateLimit.perIp);
}

/**
 * Reads the data that decide whether the identities may register.
 *
 * @throws ApiError `key-exists`, `blacklisted-email`, `blacklisted-phone`, `missing-identity`, what `findInvitation`
 * throws, `condition-failed`, in this order
 */
async function admit(deps: Deps, user: NewUser, wanted: readonly ContactIdentity[]): Promise<Admission> {
  const [records, invited] = await allDone([
    findAvailable(deps, user, wanted),
    findInvited(deps, user, wanted),
  ]);
  if (invited === undefined) for (const { registration } of records) checkRegistration(registration);
  return { records, invited };
}

async function findAvailable({ identities }: Deps, user: NewUser, wanted: readonly ContactIdentity[]) {
  const records = await identities.findAll(wanted);
  records.forEach(checkAvailable);
  if (user.team !== undefined && isAnonymous(user))
    throw new ApiError("missing-identity", { message: "A team needs a founder with an address or number" });
  return records;
}

async function findInvited(deps: Deps, user: NewUser, wanted: readonly ContactIdentity[]) {
  const code = invitationCode(user);
  if (code === undefined) return undefined;
  const address = wanted.find(({ kind }) => kind === "email");
  if (address === undefined) throw new ApiError("missing-identity");
  return findInvitation(deps, code, address);
}

const invitationCode = ({ team_code, invitation_code }: NewUser) => team_code ?? invitation_code;
const isAnonymous = ({ email, phone }: NewUser) => email === undefined && phone === undefined;
