import { IdentityTakenError } from "#shared/accounts/account-errors.ts";
import { confirmIdentity } from "#shared/accounts/activation/confirm-identity.ts";
import { contactIdentity } from "#shared/accounts/identity.ts";
import { activationKey } from "#shared/accounts/identity-lookup.ts";
import type { Code } from "#shared/codes/code.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "./deps.ts";

export interface ActivateCommand {
  /** Takes precedence over `email`, which takes precedence over `phone`. */
  readonly key?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly code: string;
  /** Only check whether the code is correct; a wrong one counts as an attempt all the same. */
  readonly isDryRun: boolean;
}

export type Activation =
  | {
      readonly outcome: "activated";
      readonly email?: string;
      readonly phone?: string;
      readonly isFirst: boolean;
    }
  | { readonly outcome: "code-is-correct" | "already-activated" };

/**
 * Verify an identity by its code and give it to the account that registered with it.
 *
 * @throws ApiError `activation-code-rejected` for a wrong, exhausted or expired code, for one without an account, and
 *   for one sent to an address or number that its account is no longer waiting for; `key-exists` when another account
 *   activated the identity first; `invalid-email`, `invalid-phone`
 * @see operations `post-activate`, `get-activate`, `post-activation-confirmation`
 */
export async function activate(deps: Deps, command: ActivateCommand): Promise<Activation> {
  const { codes, verificationCodes } = deps;
  const key = command.key ?? activationKey(contactIdentity(command, deps.settings));
  const code = await codes.takeAttempt("activation", key);
  if (code === undefined || !(await verificationCodes.matches({ ...code, codeKey: key }, command.code))) {
    throw new ApiError("activation-code-rejected");
  }
  try {
    const activation = await activateWith(deps, code, command);
    if (activation.outcome !== "activated") await codes.returnAttempt(code);
    return activation;
  } catch (error) {
    await codes.returnAttempt(code);
    throw error;
  }
}

async function activateWith(deps: Deps, taken: Code, { isDryRun }: ActivateCommand): Promise<Activation> {
  const { accounts, codes, settings } = deps;
  if (isDryRun) return { outcome: taken.usedBy === undefined ? "code-is-correct" : "already-activated" };
  const identity = contactIdentity(taken, settings);
  const isFor = (address: string | undefined) =>
    address !== undefined && contactIdentity({ [identity.kind]: address }, settings).key === identity.key;

  return change<Activation>(deps, async (attempt) => {
    const code = attempt === 1 ? taken : await codes.get("activation", taken.key);
    const ownerId = code?.usedBy ?? code?.userId;
    if (code?.nonce !== taken.nonce || ownerId === undefined) throw new ApiError("activation-code-rejected");
    const account = await accounts.get(ownerId);
    if (account?.status !== "active") throw new ApiError("activation-code-rejected");
    const { email, phone, emailUnvalidated, phoneUnvalidated } = account;
    const [verified, waiting] =
      identity.kind === "email" ? [email, emailUnvalidated] : [phone, phoneUnvalidated];
    if (code.usedBy !== undefined || !isFor(waiting)) {
      if (isFor(verified)) return { result: { outcome: "already-activated" } };
      throw new ApiError("activation-code-rejected");
    }
    const { writes, messages, isFirst } = await confirmIdentity(deps, account, identity);
    return {
      writes: [...writes, codes.use(code, account.userId)],
      messages,
      result: { outcome: "activated", email: taken.email, phone: taken.phone, isFirst },
    };
  }).catch(answer(IdentityTakenError, "key-exists"));
}
