import { confirmIdentity } from "#shared/activation/confirm-identity.ts";
import { contactIdentity } from "#shared/data/account/identity.ts";
import type { Code } from "#shared/data/code/code.ts";
import { retryStale, transact } from "#shared/data/conditions.ts";
import { activationKey } from "#shared/data/identity-lookup.ts";
import { ApiError } from "#shared/errors.ts";
import type { Deps } from "./deps.ts";

export interface ActivateCommand {
  /** `key` is preferred to `email`, and that to `phone`. */
  readonly key?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly code: string;
  /** Only tell whether the code is right; wrong ones count all the same. */
  readonly isDryRun: boolean;
}

export type Activation =
  | {
      readonly outcome: "activated";
      readonly email?: string;
      readonly phone?: string;
      readonly isFirst: boolean;
    }
  | { readonly outcome: "code-is-right" | "already-activated" };

/**
 * Verify an identity by its code and give it to the account that registered with it.
 *
 * @throws ApiError `activation-code-rejected` for a wrong, exhausted or expired code, for one without an account, and for
 *   one that was sent to an address or number that its account does not wait for any more;
 *   `key-exists` when another account activated the identity first; `invalid-email`, `invalid-phone`
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
    if (activation.outcome !== "activated") await codes.giveAttemptBack(code);
    return activation;
  } catch (error) {
    await codes.giveAttemptBack(code);
    throw error;
  }
}

async function activateWith(deps: Deps, taken: Code, { isDryRun }: ActivateCommand): Promise<Activation> {
  const { accounts, client, codes, settings } = deps;
  if (isDryRun) return { outcome: taken.usedBy === undefined ? "code-is-right" : "already-activated" };
  const identity = contactIdentity(taken, settings);
  const isFor = (address: string | undefined) =>
    address !== undefined && contactIdentity({ [identity.kind]: address }, settings).key === identity.key;

  const activation = await retryStale(async (attempt) => {
    const code = attempt === 1 ? taken : await codes.get("activation", taken.key);
    const ownerId = code?.usedBy ?? code?.userId;
    if (code?.nonce !== taken.nonce || ownerId === undefined) throw new ApiError("activation-code-rejected");
    const account = await accounts.get(ownerId);
    if (account?.status !== "active") throw new ApiError("activation-code-rejected");
    const { email, phone, emailUnvalidated, phoneUnvalidated } = account;
    const [verified, waiting] =
      identity.kind === "email" ? [email, emailUnvalidated] : [phone, phoneUnvalidated];
    if (code.usedBy !== undefined || !isFor(waiting)) {
      if (isFor(verified)) return undefined;
      throw new ApiError("activation-code-rejected");
    }
    const confirmation = await confirmIdentity(deps, account, identity);
    await transact(client, [...confirmation.writes, codes.use(code, account.userId)]);
    return confirmation;
  });
  if (activation === undefined) return { outcome: "already-activated" };
  await Promise.all(activation.messages.map((message) => message.send()));
  return { outcome: "activated", email: taken.email, phone: taken.phone, isFirst: activation.isFirst };
}
