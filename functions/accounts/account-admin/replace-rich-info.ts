import { AccountNotFoundError } from "#shared/accounts/account-errors.ts";
import { normalizeRichInfo, type RichInfo } from "#shared/accounts/profiles/rich-info.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { commit } from "#shared/platform/messaging/change.ts";
import type { Deps } from "./deps.ts";

/**
 * Replace the rich info of a user.
 *
 * @throws ApiError `not-found`, `rich-info-too-large`
 * @see operation `i-put-rich-info`
 */
export async function replaceRichInfo(deps: Deps, userId: string, richInfo: RichInfo): Promise<void> {
  const { accounts, dynamo, settings } = deps;
  const normalized = normalizeRichInfo(richInfo, settings);
  // The account tells the audit trail the user's team.
  if ((await accounts.get(userId)) === undefined) throw new ApiError("not-found");
  const writes = [accounts.requireNotDeleted(userId), deps.richInfo.put(userId, normalized)];
  await commit(dynamo, { writes }).catch(answer(AccountNotFoundError, "not-found"));
}
