import { type Account, currentStatus } from "#shared/accounts/account.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { FeatureStatus } from "#shared/registry/feature-configs.ts";
import type { Deps } from "../deps.ts";

/** The account of a user. @throws ApiError `not-found` */
async function existingAccount({ accounts, clock }: Deps, userId: string): Promise<Account> {
  const account = await accounts.get(userId);
  if (account === undefined || currentStatus(account, clock()) === "deleted") throw new ApiError("not-found");
  return account;
}

/**
 * Get whether a user has conference calls without a team.
 * @throws ApiError `not-found`
 * @see operation `i-get-user-conference-calling`
 */
export async function getConferenceCalling(deps: Deps, userId: string): Promise<FeatureStatus> {
  const { conferenceCalling } = await existingAccount(deps, userId);
  return conferenceCalling ?? deps.settings.conferenceCalling.defaultForNull;
}

/**
 * Decide whether a user has conference calls without a team; undefined stands for the server's default.
 * @throws ApiError `not-found`
 * @see operations `i-put-user-conference-calling`, `i-delete-user-conference-calling`
 */
export async function overrideConferenceCalling(
  deps: Deps,
  userId: string,
  conferenceCalling: FeatureStatus | undefined,
): Promise<void> {
  await change(deps, async () => {
    const account = await existingAccount(deps, userId);
    if (account.conferenceCalling === conferenceCalling) return undefined;
    return { writes: deps.accounts.save(account, { ...account, conferenceCalling }) };
  });
}
