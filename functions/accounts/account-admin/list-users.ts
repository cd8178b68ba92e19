import * as z from "zod";
import { type Account, currentStatus } from "#shared/accounts/account.ts";
import type { NewestPage } from "#shared/platform/data/newest-first.ts";
import type { Deps } from "./deps.ts";
import { type listedUser, userList, type userPage } from "./schemas.ts";

/**
 * List one page of the users, the newest first. Expired accounts are reported for deletion, because nobody else may
 * ever read them.
 * @see operation `i-list-users`
 */
export async function listUsers(
  { accounts, clock, expiredAccounts }: Deps,
  page: NewestPage,
): Promise<z.input<typeof userPage>> {
  const { accounts: listed, last } = await accounts.pageOfNewest(page);
  await expiredAccounts.report(listed);
  const now = clock();
  return {
    users: listed.map((account) => toListedUser(account, now)),
    ...(last !== undefined && { next: z.encode(userList.cursor, last) }),
  };
}

const toListedUser = (account: Account, now: number): z.input<typeof listedUser> => ({
  id: account.userId,
  name: account.name,
  status: currentStatus(account, now),
  created_at: new Date(account.createdAt).toISOString(),
  handle: account.handle,
  email: account.email,
  email_unvalidated: account.emailUnvalidated,
  phone: account.phone,
  team: account.teamId,
});
