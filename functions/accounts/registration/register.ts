import { randomUUID } from "node:crypto";
import { answerJoining } from "#shared/accounts/accept-invitation.ts";
import { type Account, isActivated } from "#shared/accounts/account.ts";
import { IdentityTakenError } from "#shared/accounts/account-errors.ts";
import { defaultLocale } from "#shared/accounts/account-types.ts";
import {
  activationDelivery,
  enteredCode,
  pendingCodes,
} from "#shared/accounts/activation/activation-code.ts";
import { checkAllowList, checkDomainNotBlocked } from "#shared/accounts/activation/allow-list.ts";
import { announceActivation } from "#shared/accounts/activation/announce-activation.ts";
import { checkAvailable, contactIdentities } from "#shared/accounts/activation/contact-identities.ts";
import { takeUnproven } from "#shared/accounts/activation/take-unproven.ts";
import { hashPassword } from "#shared/accounts/credentials/password.ts";
import type { OpenInvitation } from "#shared/accounts/find-invitation.ts";
import type { ContactIdentity } from "#shared/accounts/identity.ts";
import type { IdentityRecord } from "#shared/accounts/identity-lookup.ts";
import { indexUpdateMessages } from "#shared/accounts/index-update.ts";
import { chargeSms, checkNumber } from "#shared/accounts/sms-allowance.ts";
import type { ActivationCode, AttemptedCode } from "#shared/codes/code.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { type Change, change } from "#shared/platform/messaging/change.ts";
import { networkBucket, networkOf } from "#shared/platform/rate-limit/network.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { newCookie } from "#shared/sessions/cookies.ts";
import { signCookie } from "#shared/sessions/sign-cookie.ts";
import { foundTeam } from "#shared/teams/found-team.ts";
import type { Invitation } from "#shared/teams/invitation.ts";
import { checkRegistration } from "#shared/teams/registered-domains/domain-rules.ts";
import type { Deps } from "./deps.ts";
import { asInvited, invitationFor, joinByInvitation } from "./join-by-invitation.ts";
import type { NewUser } from "./schemas.ts";

export interface Registered {
  readonly account: Account;
  /** `Set-Cookie` value of the account's first cookie, if a session starts. */
  readonly setCookie: string | undefined;
}

/**
 * Create an account. An identity that comes with its code is active immediately; any other is sent a code.
 * All checks, including those of the codes, come before anything is stored.
 *
 * @throws ApiError as the route lists; the order of the checks is part of the interface
 * @see operation `register`
 */
export async function register(
  deps: Deps,
  user: NewUser,
  sourceIp: string,
  { startsSession = true }: { startsSession?: boolean } = {},
): Promise<Registered> {
  const { settings, identities, rateLimiter } = deps;
  checkOpen(user, settings);
  checkAllowList(user, settings);
  checkDomainNotBlocked(user, settings);
  const wanted = contactIdentities(user, settings);
  await Promise.all(wanted.map(checkNumber));
  // One round trip, whatever the answer; which refusal comes first is decided below.
  const charged = rateLimiter.take(networkBucket("codes", sourceIp), settings.setCodeDeliveryRateLimitPerIp);
  const found = identities.findAll(wanted);
  const findInvited = async () => {
    const code = invitationCode(user);
    return code === undefined ? undefined : invitationFor(deps, code, wanted);
  };
  const invitationFound = findInvited();
  const chargedForHash = chargeHash(deps, user, sourceIp);
  await Promise.allSettled([charged, found, invitationFound, chargedForHash]);
  await charged;
  const records = await found;
  records.forEach(checkAvailable);
  checkFounder(user);
  const invited = await invitationFound;
  if (invited === undefined) checkDomains(records);
  await chargedForHash;
  for (const identity of wanted) {
    if (codeFor(identity, user) === undefined) await chargeSms(deps, identity, { sourceIp });
  }

  const [passwordHash, proven] = await Promise.all([
    user.password && hashPassword(user.password, settings.setPasswordHashingOptions),
    proveIdentities(deps, records, user, sourceIp),
  ]);
  try {
    return await change(deps, async (attempt) => {
      const current = attempt === 1 ? records : await identities.findAll(wanted);
      current.forEach(checkAvailable);
      const admitted = attempt === 1 ? invited : await findInvited();
      if (admitted === undefined) checkDomains(current);
      return creation(deps, user, {
        records: current,
        invited: admitted,
        proven,
        passwordHash,
        network: networkOf(sourceIp),
        startsSession,
      });
    })
      .catch(answer(IdentityTakenError, "key-exists"))
      .catch(answerJoining);
  } catch (error) {
    await Promise.all(proven.map(({ taken }) => deps.codes.returnAttempt(taken)));
    throw error;
  }
}

const codeFor = ({ kind }: ContactIdentity, { email_code, phone_code }: NewUser) =>
  kind === "email" ? email_code : phone_code;
const isAnonymous = ({ email, phone }: NewUser) => email === undefined && phone === undefined;
const invitationCode = ({ team_code, invitation_code }: NewUser) => team_code ?? invitation_code;

function checkOpen(user: NewUser, settings: Settings): void {
  if (invitationCode(user) !== undefined) return;
  if (isAnonymous(user) && user.team === undefined) {
    if (!settings.setEphemeralUserCreationEnabled) throw new ApiError("ephemeral-user-creation-disabled");
  } else if (settings.setRestrictUserCreation) {
    throw new ApiError("user-creation-restricted");
  }
}

function checkFounder(user: NewUser): void {
  if (user.team === undefined || !isAnonymous(user)) return;
  throw new ApiError("missing-identity", { message: "A team needs a founder with an address or number" });
}

/** @throws ApiError `condition-failed` */
function checkDomains(records: readonly IdentityRecord[]): void {
  for (const { registration } of records) checkRegistration(registration);
}

/** Charges a registration with a password before the hash is computed, so that a refused one costs no hash. */
async function chargeHash({ rateLimiter, settings }: Deps, { password }: NewUser, sourceIp: string) {
  if (password === undefined) return;
  await rateLimiter.take(networkBucket("registration", sourceIp), settings.setPasswordHashingRateLimit.perIp);
}

/** A correct code of the request. */
interface Proof {
  /** All codes of the address, with the attempt that this check has taken. */
  readonly taken: AttemptedCode;
  readonly code: ActivationCode;
}

/** Checks the codes in the request. @throws ApiError `activation-code-rejected` */
async function proveIdentities(
  { clock, codes, verificationCodes }: Deps,
  records: readonly IdentityRecord[],
  user: NewUser,
  sourceIp: string,
): Promise<Proof[]> {
  const proven: Proof[] = [];
  for (const { identity, activation } of records) {
    const candidate = codeFor(identity, user);
    if (candidate === undefined) continue;
    const taken = activation && (await codes.takeAttempt("activation", activation.key, networkOf(sourceIp)));
    const code = taken && (await enteredCode(verificationCodes, taken, { candidate, now: clock() }));
    if (taken === undefined || code === undefined || code.usedBy !== undefined) {
      await Promise.all(proven.map((earlier) => codes.returnAttempt(earlier.taken)));
      throw new ApiError("activation-code-rejected");
    }
    proven.push({ taken, code });
  }
  return proven;
}

async function creation(
  deps: Deps,
  user: NewUser,
  {
    records,
    invited,
    proven,
    passwordHash,
    network,
    startsSession,
  }: {
    records: IdentityRecord[];
    invited: OpenInvitation | undefined;
    proven: Proof[];
    passwordHash: string | undefined;
    network: string;
    startsSession: boolean;
  },
): Promise<Change & { result: Registered }> {
  const { accounts, clock, codes, outbox, settings } = deps;
  const now = clock();
  const proofOf = ({ activation }: IdentityRecord) =>
    proven.find(({ taken }) => taken.key === activation?.key)?.code;
  // Only the owner of the address gets the code of an invitation.
  const isProven = (record: IdentityRecord) =>
    proofOf(record) !== undefined || (invited !== undefined && record.identity.kind === "email");
  const unproven = records.filter((record) => !isProven(record));
  const invitation = invited?.invitation;
  const entered = newAccount(user, { invitation, proven, unproven, passwordHash, settings, now });
  const person = invited === undefined ? entered : asInvited(entered, invited);
  const founding =
    user.team &&
    foundTeam(deps, {
      founderId: person.userId,
      team: user.team,
      status: proven.length > 0 ? "active" : "pending_active",
    });
  const account = { ...person, teamId: founding?.team.teamId ?? invitation?.teamId };
  const session = startsSession ? await firstSession(deps, user, account) : undefined;
  const provenEmail = records.find((record) => record.identity.kind === "email" && isProven(record));
  const taking =
    invited === undefined && provenEmail !== undefined
      ? await takeUnproven(deps, account, provenEmail.identity, provenEmail.claim)
      : { writes: [], messages: [] };
  const created: Change =
    invited === undefined
      ? {
          writes: [...accounts.save(undefined, account, taking.formerOwner), ...taking.writes],
          messages: [...indexUpdateMessages(outbox, undefined, account), ...taking.messages],
        }
      : joinByInvitation(deps, account, invited);
  const messages = [
    ...(isActivated(account) ? announceActivation(deps, account, { isNew: true }) : []),
    ...(founding?.messages ?? []),
    ...created.messages,
  ];
  const codeWrites = records.flatMap((record): readonly Write[] => {
    const { activation } = record;
    const proof = proofOf(record);
    if (proof === undefined && isProven(record)) return [];
    if (proof === undefined || activation === undefined) {
      const delivery = activationDelivery(deps, record, {
        owners: [{ ...account, foundedTeam: founding?.team.name }],
        locale: account.locale,
        now,
        network,
      });
      messages.push(...delivery.messages);
      return delivery.writes;
    }
    const isUnused = pendingCodes(activation, now).some(({ nonce }) => nonce === proof.nonce);
    if (!isUnused) throw new ApiError("activation-code-rejected");
    return [codes.useActivation(activation, proof, account.userId)];
  });
  return {
    writes: [
      ...created.writes,
      ...(session === undefined ? [] : [session.write]),
      ...(founding?.writes ?? []),
      ...codeWrites,
    ],
    messages,
    result: { account, setCookie: session?.setCookie },
  };
}

async function firstSession(
  deps: Deps,
  user: NewUser,
  { userId, expiresAt }: Account,
): Promise<{ write: Write; setCookie: string }> {
  const type = isAnonymous(user) ? "session" : "persistent";
  const wanted = { type, label: user.label, expiresAtMost: expiresAt } as const;
  const cookie = newCookie(wanted, deps.settings, deps.clock());
  return { write: deps.sessions.create(userId, cookie), setCookie: await signCookie(deps, userId, cookie) };
}

function newAccount(
  user: NewUser,
  facts: {
    invitation: Invitation | undefined;
    proven: readonly Proof[];
    unproven: readonly IdentityRecord[];
    passwordHash?: string;
    settings: Settings;
    now: number;
  },
): Account {
  const { invitation, proven, unproven, passwordHash, settings, now } = facts;
  const unprovenOf = (kind: IdentityRecord["identity"]["kind"]) =>
    unproven.find(({ identity }) => identity.kind === kind)?.identity.value;
  const longest = settings.zauth.authSettings.sessionTokenTimeout;
  const lifetimeSeconds = Math.min(user.expires_in ?? longest, longest);
  return {
    userId: invitation?.invitationId ?? randomUUID(),
    revision: 1,
    status: isAnonymous(user) ? "ephemeral" : "active",
    name: user.name,
    accentId: user.accent_id,
    assets: user.assets,
    picture: user.picture,
    locale: user.locale ?? defaultLocale(settings),
    supportedProtocols: user.supported_protocols ?? ["proteus"],
    managedByScim: false,
    conferenceCalling: settings.conferenceCalling.defaultForNew ?? undefined,
    // The address that the code was sent to, which may be spelled differently in the request.
    email: proven.find(({ code }) => code.email !== undefined)?.code.email ?? invitation?.email,
    phone: proven.find(({ code }) => code.phone !== undefined)?.code.phone,
    emailUnvalidated: unprovenOf("email"),
    phoneUnvalidated: unprovenOf("phone"),
    passwordHash,
    sessionEpoch: 0,
    createdAt: now,
    expiresAt: isAnonymous(user) ? now + lifetimeSeconds * 1000 : undefined,
  };
}
