import { IdentityTakenError } from "#shared/accounts/account-errors.ts";
import { enteredCode } from "#shared/accounts/activation/activation-code.ts";
import { confirmIdentity } from "#shared/accounts/activation/confirm-identity.ts";
import {
  type ContactIdentity,
  contactIdentity,
  mailDomain,
  storedContacts,
} from "#shared/accounts/identity.ts";
import { activationKey } from "#shared/accounts/identity-lookup.ts";
import { type ActivationCode, type Code, parseLinkKey } from "#shared/codes/code.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change, combine } from "#shared/platform/messaging/change.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import { checkActivation } from "#shared/teams/registered-domains/domain-rules.ts";
import type { Deps } from "./deps.ts";

export interface ActivateCommand {
  /** Takes precedence over `email`, which takes precedence over `phone`. */
  readonly key?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly code: string;
  /** Only check whether the code is correct; a wrong code still takes an attempt. */
  readonly isDryRun: boolean;
}

export type Activation =
  | {
      readonly outcome: "activated";
      readonly email?: string;
      readonly phone?: string;
      readonly isFirst: boolean;
      /** Language of the account. */
      readonly name: string;
    }
  | { readonly outcome: "already-activated"; readonly name?: string }
  | { readonly outcome: "code-is-correct" };

/**
 * Verify an identity by a code and give it to the account that the code was sent for.
 *
 * @throws ApiError `activation-code-rejected` for a wrong, exhausted or expired code, for one without an account, and
 *   for one sent to an address or number that its account is no longer waiting for; `key-exists` when another account
 *   activated the identity first; `condition-failed`; `invalid-email`, `invalid-phone`
 * @see operations `post-activate`, `get-activate`, `post-activation-confirmation`
 */
export async function activate(deps: Deps, command: ActivateCommand, sourceIp: string): Promise<Activation> {
  const { clock, codes, verificationCodes } = deps;
  const { key, nonce } = addressed(deps, command);
  if (nonce !== undefined) await checkLinkKey(deps, key, nonce);
  const taken =
    nonce === undefined
      ? await codes.takeAttempt("activation", key, networkOf(sourceIp))
      : await codes.takeAttemptByKey("activation", key);
  if (taken === undefined) throw new ApiError("activation-code-rejected");
  const code = await enteredCode(verificationCodes, taken, { candidate: command.code, nonce, now: clock() });
  if (code === undefined) throw new ApiError("activation-code-rejected");
  try {
    const activation = await activateWith(deps, taken, code, command);
    if (activation.outcome !== "activated") await codes.returnAttempt(taken);
    return activation;
  } catch (error) {
    await codes.returnAttempt(taken);
    throw error;
  }
}

/** Where the codes of the command's address are kept; the nonce of one of them if the command has a key. */
const addressed = ({ settings }: Deps, command: ActivateCommand): { key: string; nonce?: string } =>
  command.key === undefined
    ? { key: activationKey(contactIdentity(command, settings)) }
    : { nonce: "", ...parseLinkKey(command.key) };

/**
 * A key that no mail contains is not a guess at a code. It must not take an attempt even for a moment, because sending
 * such keys continually would leave the owner none.
 *
 * @throws ApiError `activation-code-rejected`
 */
async function checkLinkKey({ codes }: Deps, key: string, nonce: string): Promise<void> {
  const activation = await codes.get("activation", key);
  const isKnown = activation?.activations?.some((code) => code.nonce === nonce) ?? false;
  if (!isKnown) throw new ApiError("activation-code-rejected");
}

async function activateWith(
  deps: Deps,
  taken: Code,
  entered: ActivationCode,
  { isDryRun }: ActivateCommand,
): Promise<Activation> {
  const { accounts, codes, settings } = deps;
  const [identity] = storedContacts(entered, settings);
  if (identity === undefined) throw new ApiError("activation-code-rejected");
  if (isDryRun) return dryRun(deps, entered, identity);
  const isFor = (address: string | undefined) =>
    storedContacts({ [identity.kind]: address }, settings)[0]?.key === identity.key;

  return change<Activation>(deps, async (attempt) => {
    const current = attempt === 1 ? taken : await codes.get("activation", taken.key);
    const code = current?.activations?.find(({ nonce }) => nonce === entered.nonce);
    const ownerId = code?.usedBy ?? code?.userId;
    if (current === undefined || code === undefined || ownerId === undefined) {
      throw new ApiError("activation-code-rejected");
    }
    const [account, registration, claim] = await Promise.all([
      accounts.get(ownerId),
      registrationFor(deps, identity),
      accounts.findClaim(identity),
    ]);
    if (account?.status !== "active") throw new ApiError("activation-code-rejected");
    const { email, phone, emailUnvalidated, phoneUnvalidated } = account;
    const [verified, waiting] =
      identity.kind === "email" ? [email, emailUnvalidated] : [phone, phoneUnvalidated];
    if (code.usedBy !== undefined || !isFor(waiting)) {
      if (isFor(verified)) return { result: { outcome: "already-activated", name: account.name } };
      throw new ApiError("activation-code-rejected");
    }
    checkActivation(registration, account.teamId);
    const confirmation = await confirmIdentity(deps, account, identity, claim);
    const { isFirst } = confirmation;
    return {
      ...combine(confirmation, { writes: [codes.useActivation(current, code, account.userId)] }),
      result: { outcome: "activated", email: code.email, phone: code.phone, isFirst, name: account.name },
    };
  }).catch(answer(IdentityTakenError, "key-exists"));
}

async function dryRun(
  deps: Deps,
  { usedBy, userId }: ActivationCode,
  identity: ContactIdentity,
): Promise<Activation> {
  if (usedBy !== undefined) return { outcome: "already-activated" };
  const registration = await registrationFor(deps, identity);
  if (registration !== undefined) {
    const account = userId === undefined ? undefined : await deps.accounts.get(userId);
    checkActivation(registration, account?.teamId);
  }
  return { outcome: "code-is-correct" };
}

const registrationFor = ({ domains }: Deps, { kind, value }: ContactIdentity) =>
  kind === "email" ? domains.rulesOf(mailDomain(value)) : undefined;
