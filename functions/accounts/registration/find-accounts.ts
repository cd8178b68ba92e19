import type { Account } from "#shared/accounts/account.ts";
import { contactIdentity, handleIdentity } from "#shared/accounts/identity.ts";
import type { Deps } from "./deps.ts";

/** Has ids, handles, or an email address or phone number. */
export interface FindAccountsCommand {
  readonly ids?: readonly string[];
  readonly handles?: readonly string[];
  readonly email?: string;
  readonly phone?: string;
  readonly includesPendingInvitations: boolean;
}

/**
 * Find accounts in any state, in no particular order; unknown ones are left out.
 *
 * @throws ApiError `invalid-email`, `invalid-phone`
 * @see operation `i-get-users`
 */
export async function findAccounts(deps: Deps, command: FindAccountsCommand): Promise<Account[]> {
  const { accounts } = deps;
  const read = await accounts.getMany(command.ids ?? (await ownerIds(deps, command)));
  return read.filter(({ status }) => command.includesPendingInvitations || status !== "pending-invitation");
}

async function ownerIds(
  { accounts, settings }: Deps,
  { handles, ...address }: FindAccountsCommand,
): Promise<string[]> {
  const claims = await accounts.findClaims(
    handles?.map(handleIdentity) ?? [contactIdentity(address, settings)],
  );
  return claims.filter((claim) => claim !== undefined).map(({ userId }) => userId);
}
