import { type Account, isActivated } from "#shared/accounts/account.ts";
import { IdentityTakenError } from "#shared/accounts/account-errors.ts";
import { announceLocale, announceUpdate } from "#shared/accounts/announce-update.ts";
import { userHasFeature } from "#shared/accounts/features-of-user.ts";
import { parseHandle } from "#shared/accounts/handle.ts";
import { isSameContent } from "#shared/platform/data/unknown-fields.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { AccountDeps } from "../account-deps.ts";
import { changeAccount } from "./change-account.ts";

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

type Features = Pick<AccountDeps, "features" | "settings">;

/** Whether the user's name is fixed, because certificates of end-to-end identity contain it. */
export const hasFixedName = (deps: Features, account: Account): Promise<boolean> =>
  userHasFeature(deps, "mlsE2EId", account);

/** Whether the handle is fixed for the same reason; users without one have yet to choose it. */
export const hasFixedHandle = async (deps: Features, account: Account): Promise<boolean> =>
  account.handle !== undefined && (await hasFixedName(deps, account));

/**
 * Claim a handle; the previous one is free immediately.
 * @throws ApiError `invalid-handle`, `no-identity`, `managed-by-scim`, `handle-exists`
 * @see operation `change-handle`
 */
export async function changeHandle(deps: Deps, actor: Actor, text: string): Promise<void> {
  const { value: handle } = parseHandle(text, deps.settings);
  await changeAccount(deps, actor.userId, async (account) => {
    if (!isActivated(account)) throw new ApiError("no-identity");
    if (account.handle === handle) return undefined;
    if (account.managedByScim || (await hasFixedHandle(deps, account))) throw new ApiError("managed-by-scim");
    return { next: { ...account, handle }, messages: announceUpdate(deps, account, actor, { handle }) };
  }).catch(answer(IdentityTakenError, "handle-exists"));
}

/**
 * Change the locale of the account.
 * @throws ApiError `managed-by-scim` for a locale that differs from the one that provisioning has set
 * @see operation `change-locale`
 */
export async function changeLocale(
  deps: Omit<Deps, "features">,
  actor: Actor,
  locale: string,
): Promise<void> {
  await changeAccount(deps, actor.userId, (account) => {
    if (account.locale === locale) return undefined;
    if (account.managedByScim) throw new ApiError("managed-by-scim");
    return { next: { ...account, locale }, messages: announceLocale(deps, actor, locale) };
  });
}
