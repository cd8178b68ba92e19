import { currentStatus, loginObstacle } from "#shared/accounts/account.ts";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";
import { type StartedSession, startSession } from "./start-session.ts";

/**
 * Log in a user whom an identity provider has vouched for. A user who has a password, but no provider, must log in with
 * the password.
 *
 * @throws ApiError as the route lists
 * @see operation `i-sso-login`
 */
export async function logInBySso(
  deps: Deps,
  {
    userId,
    ...options
  }: { readonly userId: string; readonly label?: string; readonly isPersistent: boolean },
): Promise<StartedSession> {
  describeAudited({ target: { uid: userId } });
  const account = await deps.accounts.get(userId);
  const isOfPassword = account?.passwordHash !== undefined && account.samlIdentity === undefined;
  if (account === undefined || isOfPassword) throw new ApiError("invalid-credentials");
  const obstacle = loginObstacle(currentStatus(account, deps.clock()));
  if (obstacle !== undefined) throw new ApiError(obstacle);
  return startSession(deps, account, options);
}
