import type { AccountStore } from "#shared/accounts/account-store.ts";
import type { AssetOwner } from "#shared/assets/asset.ts";
import { isActiveBot } from "#shared/services/active-bot.ts";
import type { Deps } from "./deps.ts";

/** Whether a caller still exists, if it is a bot: its token never expires, so it outlives the bot. */
export async function isPresent(
  { accounts }: { readonly accounts: AccountStore },
  { kind, id }: AssetOwner,
): Promise<boolean> {
  if (kind !== "bot") return true;
  const account = await accounts.get(id);
  return account?.service !== undefined && account.status === "active";
}

/** Whether a caller may change anything, if it is a bot: one whose service is switched off only reads. */
export const mayChange = (deps: Deps, { kind, id }: AssetOwner): Promise<boolean> | true =>
  kind !== "bot" || isActiveBot(deps, id);
