import { retryStale } from "#shared/data/conditions.ts";
import { ApiError } from "#shared/errors.ts";
import { commitStatus } from "#shared/suspension/commit-status.ts";
import type { Deps } from "./deps.ts";

/**
 * Suspend or resume an account.
 *
 * @throws ApiError `invalid-status`, `not-found`
 * @see operation `i-put-user-status`
 */
export async function changeStatus(deps: Deps, userId: string, status: string): Promise<void> {
  if (status !== "active" && status !== "suspended") throw new ApiError("invalid-status");
  await retryStale(async () => {
    const account = await deps.accounts.get(userId);
    if (account === undefined) throw new ApiError("not-found");
    if (account.status === status) return;
    if (account.status !== "active" && account.status !== "suspended") throw new ApiError("invalid-status");
    await commitStatus(deps, account, status);
  });
}
