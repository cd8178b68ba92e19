import { acceptInvitation } from "#shared/accounts/accept-invitation.ts";
import { reauthenticate } from "#shared/accounts/credentials/reauthenticate.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";

/**
 * Let the acting user join the team that has invited their address.
 *
 * @throws ApiError `invalid-credentials`, `login-budget-exhausted`, `suspended`; what `acceptInvitation` throws
 * @throws RateLimitedError
 * @see operation `accept-team-invitation`
 */
export async function acceptAsUser(
  deps: Deps,
  actor: Actor,
  { code, password }: { code: string; password: string },
): Promise<void> {
  const account = await deps.accounts.get(actor.userId);
  if (account === undefined || account.status === "deleted") throw new ApiError("invalid-credentials");
  await reauthenticate(deps.passwordChecks, account, password);
  await acceptInvitation(deps, account, code, actor);
}
