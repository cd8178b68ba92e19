import { ApiError } from "#shared/errors.ts";
import type { Actor } from "#shared/http/route.ts";
import { announceLocale } from "./announce-update.ts";
import { changeAccount } from "./change-account.ts";
import type { Deps } from "./deps.ts";

/**
 * @throws ApiError `managed-by-scim` for another locale than the one that provisioning has set
 * @see operation `change-locale`
 */
export async function changeLocale(deps: Deps, actor: Actor, locale: string): Promise<void> {
  await changeAccount(deps, actor.userId, (account) => {
    if (account.locale === locale) return undefined;
    if (account.managedByScim) throw new ApiError("managed-by-scim");
    return { next: { ...account, locale }, messages: announceLocale(deps, actor, locale) };
  });
}
