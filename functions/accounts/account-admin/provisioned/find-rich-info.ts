import type { RichInfo } from "#shared/accounts/profiles/rich-info.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";

/**
 * Read the rich info of users, in one round trip; leaves out unknown and deleted users, but not those without rich
 * info.
 *
 * @see operation `i-get-rich-infos`
 */
export async function findRichInfo(
  { accounts, richInfo }: Deps,
  userIds: readonly string[],
): Promise<Map<string, RichInfo | undefined>> {
  const [people, infos] = await Promise.all([accounts.getMany(userIds), richInfo.getMany(userIds)]);
  const present = people.filter(({ status }) => status !== "deleted");
  return new Map(present.map(({ userId }) => [userId, infos.get(userId)]));
}

/**
 * Read the rich info of one user.
 *
 * @throws ApiError `not-found`
 * @see operation `i-get-rich-info`
 */
export async function readRichInfo(deps: Deps, userId: string): Promise<RichInfo | undefined> {
  const found = await findRichInfo(deps, [userId]);
  if (!found.has(userId)) throw new ApiError("not-found");
  return found.get(userId);
}
