import { type Claim, isExpired } from "#shared/accounts/account.ts";
import { deleteAccount } from "#shared/accounts/delete-account.ts";
import { handleIdentity } from "#shared/accounts/identity.ts";
import { externalIdClaim } from "#shared/accounts/provisioned-identity.ts";
import type { Deps } from "../deps.ts";
import { taken } from "./answer-taken.ts";
import type { ScimUser } from "./scim-user.ts";

/** @throws ApiError `scim-uniqueness` when the external id or the handle is in use */
export async function checkUnused(
  deps: Deps,
  teamId: string,
  { externalId, userName }: ScimUser,
): Promise<void> {
  const identities = [externalIdClaim(teamId, externalId), handleIdentity(userName)];
  const [known, holder] = await deps.accounts.findClaims(identities);
  if (known !== undefined && !(await isReleased(deps, known))) throw taken("external-id");
  if (holder !== undefined && !(await isReleased(deps, holder))) throw taken("handle");
}

/** Whether a claim is free because the invitation of its holder has expired; the account is then deleted. */
async function isReleased(deps: Deps, { status, userId }: Claim): Promise<boolean> {
  if (status !== "pending-invitation") return false;
  const account = await deps.accounts.get(userId);
  if (account === undefined || account.status === "deleted") return true;
  if (!isExpired(account, deps.clock())) return false;
  await deleteAccount(deps, userId);
  return true;
}
