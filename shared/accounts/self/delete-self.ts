import type { Account } from "#shared/accounts/account.ts";
import { reauthenticate } from "#shared/accounts/credentials/reauthenticate.ts";
import { checkMayLeave, type DeletionDeps, deleteAccount } from "#shared/accounts/delete-account.ts";
import { storedContacts } from "#shared/accounts/identity.ts";
import { chargeSms } from "#shared/accounts/sms-allowance.ts";
import { isLive } from "#shared/codes/code.ts";
import { issueCode } from "#shared/codes/issue-code.ts";
import type { MailMessage } from "#shared/codes/mail/message.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { AccountDeps } from "../account-deps.ts";

type Deps = DeletionDeps &
  Pick<
    AccountDeps,
    | "accounts"
    | "budget"
    | "clock"
    | "codes"
    | "dynamo"
    | "outbox"
    | "passwordChecks"
    | "rateLimiter"
    | "settings"
    | "teams"
    | "verificationCodes"
  >;

/**
 * Delete the caller's account: immediately if the password is given or there is no address to send a code to; otherwise
 * send a code for `confirmDeletion`.
 *
 * @returns seconds for which the code is valid; undefined when the account is deleted
 * @throws ApiError `invalid-credentials`, `pending-delete` (with `expires_in`), `too-many-requests`,
 *   `login-budget-exhausted`, `no-self-delete-for-team-owner`
 * @see operation `delete-self`
 */
export async function deleteSelf(
  deps: Deps,
  actor: Actor,
  { password, sourceIp }: { password: string | undefined; sourceIp: string },
): Promise<number | undefined> {
  const { accounts, passwordChecks } = deps;
  const account = await accounts.get(actor.userId);
  if (account === undefined || account.status === "deleted") return undefined;
  await checkOwnDecision(deps, account);
  const { email, phone } = account;
  if (password === undefined && (email !== undefined || phone !== undefined))
    return sendCode(deps, account, sourceIp);
  if (password !== undefined) await reauthenticate(passwordChecks, account, password);
  await deleteAccount(deps, actor.userId, { origin: actor, isOwnDecision: true });
  return undefined;
}

/** Checked again with the deletion, but a code that cannot be used should not be sent. */
async function checkOwnDecision({ teams }: Deps, { userId, teamId }: Account): Promise<void> {
  if (teamId !== undefined) checkMayLeave(await teams.getMember({ teamId, userId }));
}

async function sendCode(
  deps: Deps,
  { userId, email, phone, locale }: Account,
  sourceIp: string,
): Promise<number> {
  const { clock, codes, outbox, settings, verificationCodes } = deps;
  const key = await verificationCodes.deletionKey(userId);
  await change(deps, async (attempt) => {
    const now = clock();
    const previous = await codes.get("deletion", key);
    if (previous !== undefined && isLive(previous, toSeconds(now))) {
      throw new ApiError("pending-delete", { fields: { expires_in: previous.expiresAt - toSeconds(now) } });
    }
    const address = email === undefined ? { phone } : { email };
    const [identity] = storedContacts(address, settings);
    if (attempt === 1 && identity !== undefined) await chargeSms(deps, identity, { sourceIp });
    const code = issueCode({ purpose: "deletion", key, userId, ...address }, previous, {
      lifetimeSeconds: settings.setDeletionCodeTimeout,
      settings,
      now,
    });
    const message = outbox.message("mail", {
      ...(email === undefined
        ? { template: "deletion-sms" as const, to: phone ?? "" }
        : { template: "deletion" as const, to: email }),
      key,
      locale,
      code: { purpose: "deletion", codeKey: key, nonce: code.nonce },
    } satisfies MailMessage);
    return { writes: [codes.put(code, previous)], messages: [message] };
  });
  return settings.setDeletionCodeTimeout;
}
