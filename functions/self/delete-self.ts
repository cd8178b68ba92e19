import { reauthenticate } from "#shared/auth/reauthenticate.ts";
import { toSeconds } from "#shared/clock.ts";
import type { Account } from "#shared/data/account/account.ts";
import { isLive } from "#shared/data/code/code.ts";
import { issueCode } from "#shared/data/code/issue-code.ts";
import { retryStale } from "#shared/data/conditions.ts";
import { deleteAccount } from "#shared/erasure/delete-account.ts";
import { ApiError } from "#shared/errors.ts";
import type { Actor } from "#shared/http/route.ts";
import type { MailMessage } from "#shared/mail/message.ts";
import { commitWithMessages } from "#shared/messaging/commit-with-messages.ts";
import type { Deps } from "./deps.ts";

/**
 * Delete the own account: at once with the password, or when it has neither a password nor an address to ask; otherwise
 * a code is sent that `confirmDeletion` takes.
 *
 * @returns seconds that the code is valid; undefined when the account is deleted
 * @throws ApiError `invalid-credentials`, `pending-delete` (with `expires_in`), `too-many-requests`,
 *   `login-budget-exhausted`
 * @see operation `delete-self`
 */
export async function deleteSelf(
  deps: Deps,
  actor: Actor,
  password: string | undefined,
): Promise<number | undefined> {
  const { accounts, passwordChecks } = deps;
  const account = await accounts.get(actor.userId);
  if (account === undefined || account.status === "deleted") return undefined;
  const { email, phone } = account;
  if (password === undefined && (email !== undefined || phone !== undefined)) return sendCode(deps, account);
  if (password !== undefined) await reauthenticate(passwordChecks, account, password);
  await deleteAccount(deps, actor.userId, { origin: actor });
  return undefined;
}

async function sendCode(deps: Deps, { userId, email, phone, locale }: Account): Promise<number> {
  const { client, clock, codes, outbox, settings, verificationCodes } = deps;
  const key = await verificationCodes.deletionKey(userId);
  await retryStale(async () => {
    const now = clock();
    const previous = await codes.get("deletion", key);
    if (previous !== undefined && isLive(previous, toSeconds(now))) {
      throw new ApiError("pending-delete", { fields: { expires_in: previous.expiresAt - toSeconds(now) } });
    }
    const address = email === undefined ? { phone } : { email };
    const code = issueCode({ purpose: "deletion", key, userId, ...address }, previous, {
      lifetimeSeconds: settings.setDeletionCodeTimeout,
      settings,
      now,
    });
    const message = outbox.stage("mail", {
      ...(email === undefined
        ? { template: "deletion-sms" as const, to: phone ?? "" }
        : { template: "deletion" as const, to: email }),
      key,
      locale,
      code: { purpose: "deletion", codeKey: key, nonce: code.nonce },
    } satisfies MailMessage);
    await commitWithMessages(client, [codes.put(code, previous)], [message]);
  });
  return settings.setDeletionCodeTimeout;
}
