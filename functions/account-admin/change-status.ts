import type { Account } from "#shared/data/account/account.ts";
import { retryStale } from "#shared/data/conditions.ts";
import { ApiError } from "#shared/errors.ts";
import { commitWithMessages } from "#shared/messaging/commit-with-messages.ts";
import { stageIndexUpdate } from "#shared/search/stage-index-update.ts";
import type { Deps } from "./deps.ts";

/**
 * Suspend or resume an account. Suspending revokes all cookies; access tokens already issued run out by themselves.
 *
 * @throws ApiError `invalid-status`, `not-found`
 * @see operation `i-put-user-status`
 */
export async function changeStatus(
  { accounts, client, outbox, sessions }: Deps,
  userId: string,
  status: string,
): Promise<void> {
  if (status !== "active" && status !== "suspended") throw new ApiError("invalid-status");
  await retryStale(async () => {
    const account = await accounts.get(userId);
    if (account === undefined) throw new ApiError("not-found");
    if (account.status === status) return;
    if (account.status !== "active" && account.status !== "suspended") throw new ApiError("invalid-status");
    const isSuspended = status === "suspended";
    const sessionEpoch = account.sessionEpoch + Number(isSuspended);
    const changed: Account = { ...account, status, sessionEpoch };
    const messages = stageIndexUpdate(outbox, account, changed);
    await commitWithMessages(
      client,
      [
        ...accounts.save(account, changed),
        ...(isSuspended ? [sessions.revokeAll(userId, sessionEpoch)] : []),
      ],
      messages,
    );
  });
}
