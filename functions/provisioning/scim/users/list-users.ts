import { currentStatus } from "#shared/accounts/account.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { isAdopted } from "./adopt-user.ts";
import { renderUser } from "./render-user.ts";
import type { UserView } from "./routes.ts";

/** A page of the users whom the directory of a team manages. */
export interface UserPage {
  readonly users: readonly UserView[];
  /** Number of users on all pages; includes invitees whose invitation has expired until they are deleted. */
  readonly total: number;
}

/**
 * List the users of a team whom a directory has created or adopted, in the order of their external ids. Unlike a
 * search, this adopts nobody.
 *
 * @param page.startIndex counted from 1
 * @see operation `scim-find-users`
 */
export async function listUsers(
  deps: Deps,
  { teamId }: Pick<Provisioner, "teamId">,
  { startIndex, count }: { readonly startIndex: number; readonly count: number },
): Promise<UserPage> {
  const { accounts, clock, richInfo, teams } = deps;
  const userIds: string[] = [];
  for await (const { userId } of accounts.claimsByDirectory(teamId)) userIds.push(userId);
  const wanted = userIds.slice(startIndex - 1, startIndex - 1 + count);
  const [people, members, infos] = await Promise.all([
    accounts.getMany(wanted),
    teams.getMembers(teamId, wanted),
    richInfo.getMany(wanted),
  ]);
  const byId = new Map(people.map((account) => [account.userId, account]));
  const memberById = new Map(members.map((member) => [member.userId, member]));
  const users = wanted.flatMap((userId) => {
    const account = byId.get(userId);
    if (account?.teamId !== teamId || !isAdopted(account)) return [];
    if (currentStatus(account, clock()) === "deleted") return [];
    return [renderUser(deps, { account, member: memberById.get(userId), richInfo: infos.get(userId) })];
  });
  return { users, total: userIds.length };
}
