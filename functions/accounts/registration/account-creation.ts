import { randomUUID } from "node:crypto";
import { type Account, isActivated } from "#shared/accounts/account.ts";
import { defaultLocale } from "#shared/accounts/account-types.ts";
import {
  activationDelivery,
  enteredCode,
  pendingCodes,
} from "#shared/accounts/activation/activation-code.ts";
import { announceActivation, takeUnproven } from "#shared/accounts/activation/confirm-identity.ts";
import type { IdentityRecord } from "#shared/accounts/identity-lookup.ts";
import { indexUpdateMessages } from "#shared/accounts/index-update.ts";
import { joinAsInvited, type OpenInvitation } from "#shared/accounts/join-team.ts";
import type { ActivationCode, AttemptedCode } from "#shared/codes/code.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { type Change, combine } from "#shared/platform/messaging/change.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import { newSession } from "#shared/sessions/new-session.ts";
import { foundTeam } from "#shared/teams/found-team.ts";
import { welcomeMail } from "#shared/teams/welcome-mail.ts";
import type { Deps } from "./deps.ts";
import type { NewUser } from "./routes.ts";

export interface Registered {
  readonly account: Account;
  /** `Set-Cookie` value of the account's first cookie, if a session starts. */
  readonly setCookie: string | undefined;
}

/** Reasons why a registration is admitted, which may no longer hold at the commit. */
export interface Admission {
  readonly records: readonly IdentityRecord[];
  readonly invited: OpenInvitation | undefined;
}

/** A registration that has passed all checks. */
interface Registration extends Admission {
  readonly proofs: readonly Proof[];
  readonly passwordHash: string | undefined;
  readonly network: string;
  readonly startsSession: boolean;
}

/**
 * Decides what to write and announce when an account is registered: on its own, with a team that it founds, or in the
 * team that invited it.
 *
 * @throws ApiError `activation-code-rejected` for a code that another account has used meanwhile
 */
export async function accountCreation(
  deps: Deps,
  user: NewUser,
  registration: Registration,
): Promise<Change & { readonly result: Registered }> {
  const { records, invited, proofs, startsSession } = registration;
  const now = deps.clock();
  const person = newAccount(deps, user, registration, now);
  const status = proofs.length > 0 ? "active" : "pending_active";
  const founding = user.team && foundTeam(deps, { founderId: person.userId, team: user.team, status });
  const account = { ...person, teamId: founding?.team.teamId ?? invited?.invitation.teamId };
  const created =
    invited === undefined
      ? await creationAlone(deps, account, registration)
      : creationInTeam(deps, account, invited);
  const type = person.status === "ephemeral" ? "session" : "persistent";
  const wanted = { type, label: user.label, expiresAtMost: account.expiresAt } as const;
  const session = startsSession ? await newSession(deps, account.userId, wanted) : undefined;
  return {
    ...combine(
      {
        messages: isActivated(account) ? announceActivation(deps, account, { isNew: true }) : [],
        afterCommit: () =>
          deps.counts.add({ registrations: 1, ...(startsSession && { activeUsers: 1, monthlyUsers: 1 }) }),
      },
      founding,
      created,
      session && { writes: [deps.sessions.create(account.userId, session.cookie)] },
      ...records.map((record) => {
        const { activation } = record;
        const proof = proofOf(record, registration);
        if (proof === undefined && isProven(record, registration)) return undefined;
        if (proof === undefined || activation === undefined) {
          const owners = [{ ...account, foundedTeam: founding?.team.name }];
          const { network } = registration;
          return activationDelivery(deps, record, { owners, locale: account.locale, now, network });
        }
        const isUnused = pendingCodes(activation, now).some(({ nonce }) => nonce === proof.nonce);
        if (!isUnused) throw new ApiError("activation-code-rejected");
        return { writes: [deps.codes.useActivation(activation, proof, account.userId)] };
      }),
    ),
    result: { account, setCookie: session?.setCookie },
  };
}

/** The code by which an identity is proved. */
const proofOf = ({ activation }: IdentityRecord, { proofs }: Registration) =>
  proofs.find(({ taken }) => taken.key === activation?.key)?.code;

/** Only the owner of the address gets the code of an invitation. */
const isProven = (record: IdentityRecord, registration: Registration): boolean =>
  proofOf(record, registration) !== undefined ||
  (registration.invited !== undefined && record.identity.kind === "email");

/** The account's proved address is taken from an account that has it without proof. */
async function creationAlone(deps: Deps, account: Account, registration: Registration): Promise<Change> {
  const email = registration.records.find(
    (record) => record.identity.kind === "email" && isProven(record, registration),
  );
  const taking = email && (await takeUnproven(deps, account, email.identity, email.claim));
  const saved = {
    writes: deps.accounts.save(undefined, account, taking?.formerOwner),
    messages: indexUpdateMessages(deps.outbox, undefined, account),
  };
  return combine(saved, taking);
}

/** The registration may complete an account that the team's directory has created. */
function creationInTeam(deps: Deps, account: Account, invited: OpenInvitation): Change {
  const { invitee, team } = invited;
  const joining = joinAsInvited(deps, { ...(invitee && { previous: invitee }), next: account }, invited);
  return combine(joining, { messages: welcomeMail(deps.outbox, account, team) });
}

function newAccount({ settings }: Deps, user: NewUser, registration: Registration, now: number): Account {
  const { records, invited, proofs, passwordHash } = registration;
  const { invitation, invitee } = invited ?? {};
  const unprovenOf = (kind: IdentityRecord["identity"]["kind"]) =>
    records.find((record) => record.identity.kind === kind && !isProven(record, registration))?.identity
      .value;
  const isAnonymous = user.email === undefined && user.phone === undefined;
  const longest = settings.zauth.authSettings.sessionTokenTimeout;
  const lifetimeSeconds = Math.min(user.expires_in ?? longest, longest);
  return {
    userId: invitation?.invitationId ?? user.uuid ?? randomUUID(),
    revision: 1,
    status: isAnonymous ? "ephemeral" : "active",
    accentId: user.accent_id,
    assets: user.assets,
    picture: user.picture,
    supportedProtocols: user.supported_protocols ?? ["proteus"],
    conferenceCalling: settings.conferenceCalling.defaultForNew ?? undefined,
    // The address that the code was sent to, which may be spelled differently in the request.
    email: proofs.find(({ code }) => code.email !== undefined)?.code.email ?? invitation?.email,
    phone: proofs.find(({ code }) => code.phone !== undefined)?.code.phone,
    emailUnvalidated: unprovenOf("email"),
    phoneUnvalidated: unprovenOf("phone"),
    passwordHash,
    sessionEpoch: 0,
    expiresAt: isAnonymous ? now + lifetimeSeconds * 1000 : undefined,
    // The data of the directory that has invited the user prevail.
    name: invitee?.name ?? user.name,
    locale: invitee?.locale ?? user.locale ?? defaultLocale(settings),
    handle: invitee?.handle,
    managedByScim: invitee?.managedByScim ?? user.managed_by === "scim",
    scim: invitee?.scim,
    createdAt: invitee?.createdAt ?? now,
  };
}

/** A correct code of a registration. */
interface Proof {
  /** All codes of the address, with the attempt that this check has taken. */
  readonly taken: AttemptedCode;
  readonly code: ActivationCode;
}

/** The code by which a registration proves one of its identities. */
export const codeFor = (
  { kind }: IdentityRecord["identity"],
  { email_code, phone_code }: NewUser,
): string | undefined => (kind === "email" ? email_code : phone_code);

/**
 * Check the codes of a registration. Each costs an attempt, which `returnAttempts` gives back.
 * @throws ApiError `activation-code-rejected` for the first wrong or used one
 */
export async function proveIdentities(
  deps: Deps,
  records: readonly IdentityRecord[],
  user: NewUser,
  sourceIp: string,
): Promise<Proof[]> {
  const { clock, codes, verificationCodes } = deps;
  const proofs: Proof[] = [];
  for (const { identity, activation } of records) {
    const candidate = codeFor(identity, user);
    if (candidate === undefined) continue;
    const taken = activation && (await codes.takeAttempt("activation", activation.key, networkOf(sourceIp)));
    const code = taken && (await enteredCode(verificationCodes, taken, { candidate, now: clock() }));
    if (taken === undefined || code === undefined || code.usedBy !== undefined) {
      await returnAttempts(deps, proofs);
      throw new ApiError("activation-code-rejected");
    }
    proofs.push({ taken, code });
  }
  return proofs;
}

/** Give back the attempts that correct codes have cost, when nothing came of them. */
export async function returnAttempts({ codes }: Deps, proofs: readonly Proof[]): Promise<void> {
  await Promise.all(proofs.map(({ taken }) => codes.returnAttempt(taken)));
}
