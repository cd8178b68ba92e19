import { statusChange } from "#shared/accounts/status-change.ts";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "./deps.ts";

/**
 * Suspend or resume an account. It then keeps that status, whatever happens to its team, until it is resumed or
 * suspended again.
 *
 * @throws ApiError `invalid-status`, `not-found`
 * @see operation `i-put-user-status`
 */
export async function changeStatus(deps: Deps, userId: string, status: string): Promise<void> {
  if (status !== "active" && status !== "suspended") throw new ApiError("invalid-status");
  describeAudited({ target: { status } });
  await change(deps, async () => {
    const account = await deps.accounts.get(userId);
    if (account === undefined) throw new ApiError("not-found");
    if (account.status === status && account.isSuspendedWithTeam === undefined) return undefined;
    if (account.status !== "active" && account.status !== "suspended") throw new ApiError("invalid-status");
    return statusChange(deps, account, status);
  });
}
