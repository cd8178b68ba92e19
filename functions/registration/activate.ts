import type { Account } from "#shared/data/account/account.ts";
import { contactIdentity } from "#shared/data/account/identity.ts";
import type { Code } from "#shared/data/code/code.ts";
import { retryStale, transact } from "#shared/data/conditions.ts";
import { activationKey } from "#shared/data/identity-lookup.ts";
import { ApiError } from "#shared/errors.ts";
import { stageIndexUpdate } from "#shared/search/stage-index-update.ts";
import { announceActivation } from "./announce-activation.ts";
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
 * @throws ApiError `activation-code-rejected` for a wrong, exhausted or expired code and for one without an account;
 *   `key-exists` when another account activated the identity first; `invalid-email`, `invalid-phone`
 * @see operations `post-activate`, `get-activate`
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
  const { accounts, client, codes, outbox } = deps;
  return retryStale(async (attempt): Promise<Activation> => {
    const [code, account] = await Promise.all([
      attempt === 1 ? taken : codes.get("activation", taken.key),
      taken.userId === undefined || isDryRun ? undefined : accounts.get(taken.userId),
    ]);
    if (code?.usedBy !== undefined) return { outcome: "already-activated" };
    if (isDryRun) return { outcome: "code-is-right" };
    if (code?.nonce !== taken.nonce || account?.status !== "active")
      throw new ApiError("activation-code-rejected");
    const { email, phone } = code;
    const verified: Account = {
      ...account,
      ...(email !== undefined ? { email } : { phone }),
    };
    const isFirst = account.email === undefined && account.phone === undefined;
    const messages = [
      ...(isFirst ? announceActivation(deps, verified) : []),
      ...stageIndexUpdate(outbox, account, verified),
    ];
    await transact(client, [
      ...accounts.save(account, verified),
      codes.use(code, account.userId),
      ...messages.map(({ write }) => write),
    ]);
    await Promise.all(messages.map((message) => message.send()));
    return { outcome: "activated", email, phone, isFirst };
  });
}
