import type { Account } from "#shared/accounts/account.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { AccountDeps } from "../account-deps.ts";

/**
 * Read the caller's account. @throws ApiError `not-found` when it has been deleted while its access token is still
 * valid
 */
export async function ownAccount(
  { accounts }: Pick<AccountDeps, "accounts">,
  userId: string,
): Promise<Account> {
  const account = await accounts.get(userId);
  if (account === undefined || account.status === "deleted") throw new ApiError("not-found");
  return account;
}
