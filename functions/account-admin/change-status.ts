import { retryStale, transact } from "#shared/data/conditions.ts";
import { ApiError } from "#shared/errors.ts";
import type { Deps } from "./deps.ts";

/**
 * Suspend or resume an account. Suspending revokes all cookies; access tokens already issued run out by themselves.
 *
 * @throws ApiError `invalid-status`, `not-found`
 * @see operation `i-put-user-status`
 */
export async function changeStatus(
  { accounts, client, sessions }: Deps,
  userId: string,
  status: string,
): Promise<void> {
  if (status !== "active" && status !== "suspended") throw new ApiError("invalid-status");
  await retryStale(async () => {
    const account = await accounts.get(userId);
    if (account === undefined) throw new ApiError("not-found");
    if (account.status === status) return;
    if (account.status !== "active" && account.status !== "suspended") throw new ApiError("invalid-status");
    if (status === "active") return transact(client, accounts.save(account, { ...account, status }));
    const sessionEpoch = account.sessionEpoch + 1;
    await transact(client, [
      ...accounts.save(account, { ...account, status, sessionEpoch }),
      sessions.revokeAll(userId, sessionEpoch),
    ]);
  });
}
