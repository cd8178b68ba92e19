import type { Account } from "../account.ts";
import type { AccountDeps } from "../account-deps.ts";
import type { PageSession } from "./page-session.ts";

/** The account that is logged in; undefined before the login, and once all its cookies have been revoked. */
export async function currentUser(
  { accounts }: Pick<AccountDeps, "accounts">,
  { step, sub, epoch }: PageSession,
): Promise<Account | undefined> {
  if (step !== "logged-in" || sub === undefined) return undefined;
  const account = await accounts.get(sub);
  return account?.status === "active" && account.sessionEpoch === epoch ? account : undefined;
}
