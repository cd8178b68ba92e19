import { isActivated } from "#shared/accounts/account.ts";
import { IdentityTakenError } from "#shared/accounts/account-errors.ts";
import { announceUpdate } from "#shared/accounts/announce-update.ts";
import { parseHandle } from "#shared/accounts/handle.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { AccountDeps } from "../account-deps.ts";
import { changeAccount } from "./change-account.ts";
import { hasFixedHandle } from "./fixed-identity.ts";

type Deps = Pick<
  AccountDeps,
  "accounts" | "budget" | "clock" | "dynamo" | "events" | "features" | "outbox" | "settings"
>;

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
