import type { Account } from "#shared/data/account/account.ts";
import type { Deps } from "./deps.ts";
import type { PageSession } from "./page-session.ts";

/** The account that is logged in; undefined before, and when all its cookies have been revoked since. */
export async function currentUser(
  { accounts }: Deps,
  { stage, sub, epoch }: PageSession,
): Promise<Account | undefined> {
  if (stage !== "logged-in" || sub === undefined) return undefined;
  const account = await accounts.get(sub);
  return account?.status === "active" && account.sessionEpoch === epoch ? account : undefined;
}
