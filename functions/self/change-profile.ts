import { isDeepStrictEqual } from "node:util";
import type { Account } from "#shared/data/account/account.ts";
import { ApiError } from "#shared/errors.ts";
import type { Actor } from "#shared/http/route.ts";
import { announceUpdate } from "./announce-update.ts";
import { changeAccount } from "./change-account.ts";
import type { Deps } from "./deps.ts";

export type ProfileFields = Partial<Pick<Account, "name" | "textStatus" | "picture" | "accentId" | "assets">>;

/**
 * Change some fields of the profile; those that are absent stay.
 * @throws ApiError `managed-by-scim` for another name than the one that provisioning has set
 * @see operation `put-self`
 */
export async function changeProfile(deps: Deps, actor: Actor, wish: ProfileFields): Promise<void> {
  await changeAccount(deps, actor.userId, (account) => {
    const changed = differingFields(account, wish);
    if (Object.keys(changed).length === 0) return undefined;
    if (changed.name !== undefined && account.managedByScim) throw new ApiError("managed-by-scim");
    const { accentId, textStatus, ...others } = changed;
    return {
      next: { ...account, ...changed },
      messages: announceUpdate(deps, actor, { ...others, accent_id: accentId, text_status: textStatus }),
    };
  });
}

/** What a wish names and the account has otherwise. */
function differingFields(account: Account, wish: ProfileFields): ProfileFields {
  const fields = Object.entries(wish) as [keyof ProfileFields, unknown][];
  return Object.fromEntries(
    fields.filter(([field, value]) => value !== undefined && !isDeepStrictEqual(value, account[field])),
  );
}
