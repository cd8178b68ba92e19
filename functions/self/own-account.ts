import type { Account } from "#shared/data/account/account.ts";
import { ApiError } from "#shared/errors.ts";
import type { Deps } from "./deps.ts";

/** @throws ApiError `not-found` when the account has been deleted while its access token is still good */
export async function ownAccount({ accounts }: Pick<Deps, "accounts">, userId: string): Promise<Account> {
  const account = await accounts.get(userId);
  if (account === undefined || account.status === "deleted") throw new ApiError("not-found");
  return account;
}
