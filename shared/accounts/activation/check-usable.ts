import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { checkAddressChange } from "#shared/teams/registered-domains/domain-rules.ts";
import { type Account, isProvable } from "../account.ts";
import type { IdentityRecord } from "../identity-lookup.ts";
import { checkAllowList, checkDomainNotBlocked } from "./allow-list.ts";

/**
 * Refuse an address or number that an account cannot change to. The rules of an address's domain apply only if a mail
 * must confirm the address. The order of these checks is part of the interface.
 *
 * @throws ApiError `blacklisted-email`, `blacklisted-phone`, `key-exists`, `domain-blocked-for-registration`,
 *   `condition-failed`, `allowlist-rejected`
 */
export function checkUsable(
  { claim, identity, isBlocked, registration }: IdentityRecord,
  { userId, teamId }: Pick<Account, "userId" | "teamId">,
  { isMailed, settings }: { readonly isMailed: boolean; readonly settings: Settings },
): void {
  const address = { [identity.kind]: identity.value };
  if (isBlocked) throw new ApiError(identity.kind === "email" ? "blacklisted-email" : "blacklisted-phone");
  const isOthers = claim !== undefined && claim.userId !== userId;
  if (isOthers && !(isMailed && isProvable(claim, identity))) throw new ApiError("key-exists");
  if (isMailed) {
    checkDomainNotBlocked(address, settings);
    checkAddressChange(registration, teamId);
  }
  checkAllowList(address, settings);
}
