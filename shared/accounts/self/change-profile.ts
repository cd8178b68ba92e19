import type { Account } from "#shared/accounts/account.ts";
import { announceUpdate } from "#shared/accounts/announce-update.ts";
import { isSameContent } from "#shared/platform/data/unknown-fields.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { AccountDeps } from "../account-deps.ts";
import { changeAccount } from "./change-account.ts";
import { hasFixedName } from "./fixed-identity.ts";

type Deps = Pick<
  AccountDeps,
  "accounts" | "budget" | "clock" | "dynamo" | "events" | "features" | "outbox" | "settings"
>;

export type ProfileFields = Partial<Pick<Account, "name" | "textStatus" | "picture" | "accentId" | "assets">>;

/**
 * Change the given fields of the profile.
 * @throws ApiError `managed-by-scim` for a name that differs from the one that provisioning has set, or that
 *   end-to-end identity certifies
 * @see operation `put-self`
 */
export async function changeProfile(deps: Deps, actor: Actor, wanted: ProfileFields): Promise<void> {
  await changeAccount(deps, actor.userId, async (account) => {
    const changed = differingFields(account, wanted);
    if (Object.keys(changed).length === 0) return undefined;
    if (changed.name !== undefined && (account.managedByScim || (await hasFixedName(deps, account))))
      throw new ApiError("managed-by-scim");
    const { accentId, textStatus, ...others } = changed;
    return {
      next: { ...account, ...changed },
      messages: announceUpdate(deps, account, actor, {
        ...others,
        accent_id: accentId,
        text_status: textStatus,
      }),
    };
  });
}

/** Wanted fields whose values the account does not have yet. */
function differingFields(account: Account, wanted: ProfileFields): ProfileFields {
  const fields = Object.entries(wanted) as [keyof ProfileFields, unknown][];
  return Object.fromEntries(
    fields.filter(([field, value]) => value !== undefined && !isSameContent(value, account[field])),
  );
}
