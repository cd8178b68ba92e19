import type { Account } from "#shared/accounts/account.ts";
import { hashPassword, verifyPassword } from "#shared/accounts/credentials/password.ts";
import { type Code, parseLinkKey } from "#shared/codes/code.ts";
import { closeSockets } from "#shared/events/sockets/socket-closure.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import type { Deps } from "./deps.ts";

/**
 * Replace a password with a reset code, which is used up. A key from a mail has attempts of its own, and stays valid
 * when strangers' attempts have led to another code. Revokes every cookie and closes every socket.
 *
 * @throws ApiError `reset-code-rejected` for a wrong, exhausted, expired or unknown code, `password-must-differ`
 * @see operation `post-password-reset-complete`
 */
export async function completeReset(
  deps: Deps,
  command: { key: string; code: string; password: string },
  sourceIp: string,
): Promise<void> {
  const { codes, verificationCodes } = deps;
  const { key, nonce } = parseLinkKey(command.key);
  const code =
    nonce === undefined
      ? await codes.takeAttempt("password-reset", key, networkOf(sourceIp))
      : await codes.takeAttemptByKey("password-reset", key, nonce);
  if (code === undefined) throw new ApiError("reset-code-rejected");
  const reference = { ...code, codeKey: key, nonce: nonce ?? code.nonce };
  if (!(await verificationCodes.matches(reference, command.code))) throw new ApiError("reset-code-rejected");
  try {
    await replacePassword(deps, code, { nonce: reference.nonce, password: command.password });
  } catch (error) {
    await codes.returnAttempt(code);
    throw error;
  }
}

async function replacePassword(
  deps: Deps,
  code: Code,
  { nonce, password }: { nonce: string; password: string },
): Promise<void> {
  const { accounts, clock, codes, outbox, sessions, settings } = deps;
  const account = await resettableAccount(deps, code);
  if (account.passwordHash !== undefined && (await verifyPassword(password, account.passwordHash))) {
    throw new ApiError("password-must-differ");
  }
  const passwordHash = await hashPassword(password, settings.setPasswordHashingOptions);
  await change(deps, async (attempt) => {
    const current = attempt === 1 ? account : await resettableAccount(deps, code);
    const pending = attempt === 1 ? code : await codes.get("password-reset", code.key);
    // It may have been replaced meanwhile, but not used or cancelled.
    const isPending = pending?.nonce === code.nonce || (pending?.earlier?.[nonce] ?? 0) > toSeconds(clock());
    if (pending === undefined || !isPending) throw new ApiError("reset-code-rejected");
    const sessionEpoch = current.sessionEpoch + 1;
    return {
      writes: [
        ...accounts.save(current, { ...current, passwordHash, sessionEpoch }),
        codes.consume(pending),
        sessions.revokeAll(current.userId, sessionEpoch),
      ],
      messages: [closeSockets(outbox, { userId: current.userId })],
    };
  });
}

/** @throws ApiError `reset-code-rejected` when the account is gone or no longer active, or the code is a decoy */
async function resettableAccount({ accounts }: Deps, { userId }: Code): Promise<Account> {
  const account = userId === undefined ? undefined : await accounts.get(userId);
  if (account?.status !== "active") throw new ApiError("reset-code-rejected");
  return account;
}
