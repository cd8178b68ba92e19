import { type Account, currentStatus } from "#shared/accounts/account.ts";
import type { RichInfo } from "#shared/accounts/profiles/rich-info.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";

/**
 * Read the rich info of a user. Only members of the user's team may read it, the user included.
 *
 * @throws ApiError `not-found` unless both exist and neither is suspended; `insufficient-permissions` unless they are in
 *   the same team
 * @see operation `get-rich-info`
 */
export async function readRichInfo(
  { accounts, clock, richInfo }: Deps,
  viewerId: string,
  userId: string,
): Promise<RichInfo> {
  const [read, stored] = await Promise.all([accounts.getMany([viewerId, userId]), richInfo.get(userId)]);
  const [viewer, user] = [viewerId, userId].map((id) => read.find((account) => account.userId === id));
  const isPresent = (account: Account | undefined) =>
    account !== undefined && ["active", "ephemeral"].includes(currentStatus(account, clock()));
  if (!isPresent(viewer) || !isPresent(user)) throw new ApiError("not-found");
  if (user?.teamId === undefined || user.teamId !== viewer?.teamId) {
    throw new ApiError("insufficient-permissions");
  }
  return stored ?? { version: 0, fields: [] };
}
