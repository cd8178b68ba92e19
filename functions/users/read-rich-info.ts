import type { RichInfo } from "#shared/data/rich-info/rich-info.ts";
import { ApiError } from "#shared/errors.ts";
import type { Deps } from "./deps.ts";

/**
 * Rich info of a user, which teammates may read and the user as a member of a team.
 *
 * @throws ApiError `not-found` unless both exist; `insufficient-permissions` unless they are in one team
 * @see operation `get-rich-info`
 */
export async function readRichInfo(
  { accounts, richInfo }: Deps,
  viewerId: string,
  userId: string,
): Promise<RichInfo> {
  const [read, stored] = await Promise.all([accounts.getMany([viewerId, userId]), richInfo.get(userId)]);
  const [viewer, user] = [viewerId, userId].map((id) => read.find((account) => account.userId === id));
  if (viewer === undefined || user === undefined || user.status === "pending-invitation") {
    throw new ApiError("not-found");
  }
  if (user.teamId === undefined || user.teamId !== viewer.teamId) {
    throw new ApiError("insufficient-permissions");
  }
  return stored ?? { version: 0, fields: [] };
}
