import { currentStatus } from "#shared/accounts/account.ts";
import { isConflict, readLegalHoldStatuses } from "#shared/accounts/legal-hold-status.ts";
import type { ConversationDeps } from "#shared/conversations/conversation-deps.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";

/** Whether the guard of messages is in force. */
const isGuarded = ({ legalhold }: Pick<Settings, "legalhold">) => legalhold !== "disabled-permanently";

type GuardDeps = Pick<ConversationDeps, "accounts" | "clock" | "features" | "settings">;

/**
 * Check that users may exchange messages: if one of them has a legal hold device, all must have consented. Accounts are
 * read only if there is such a device, and after the devices, because consent cannot be withdrawn.
 *
 * @param userIds bots among them are ignored
 * @param underHold users with a legal hold device
 * @throws ApiError `missing-legalhold-consent`
 */
export async function guardMessages(
  deps: GuardDeps,
  { userIds, underHold }: { readonly userIds: readonly string[]; readonly underHold: ReadonlySet<string> },
): Promise<void> {
  if (!isGuarded(deps.settings) || !userIds.some((userId) => underHold.has(userId))) return;
  const now = deps.clock();
  const found = await deps.accounts.getMany(userIds);
  const present = found.filter(
    (account) => currentStatus(account, now) !== "deleted" && account.service === undefined,
  );
  const statuses = await readLegalHoldStatuses(deps, present);
  if (isConflict(["enabled", ...statuses.values()])) throw new ApiError("missing-legalhold-consent");
}
