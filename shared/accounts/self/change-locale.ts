import { announceLocale } from "#shared/accounts/announce-update.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { AccountDeps } from "../account-deps.ts";
import { changeAccount } from "./change-account.ts";

type Deps = Pick<AccountDeps, "accounts" | "budget" | "clock" | "dynamo" | "events" | "outbox" | "settings">;

/**
 * Change the locale of the account.
 * @throws ApiError `managed-by-scim` for a locale that differs from the one that provisioning has set
 * @see operation `change-locale`
 */
export async function changeLocale(deps: Deps, actor: Actor, locale: string): Promise<void> {
  await changeAccount(deps, actor.userId, (account) => {
    if (account.locale === locale) return undefined;
    if (account.managedByScim) throw new ApiError("managed-by-scim");
    return { next: { ...account, locale }, messages: announceLocale(deps, actor, locale) };
  });
}
