import type { LegalHoldService } from "#shared/conversations/legal-hold/legal-hold-service.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { isAtLeast } from "#shared/teams/permissions.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";
import { readSettings } from "./read-settings.ts";

/**
 * Get the legal hold service of a team; also says whether the team has legal hold at all. The token, which clients
 * expect, is empty for those who could not have registered it.
 *
 * @throws ApiError `not-a-team-member`
 * @see operation `get-legal-hold-settings`
 */
export async function getService(
  deps: Deps,
  membership: Membership,
): Promise<{ hasLegalHold: boolean; service: LegalHoldService | undefined }> {
  const { hasLegalHold, member, service } = await readSettings(deps, membership);
  const { permissions } = checkMember(member);
  const isForAdmin = isAtLeast(permissions, "admin");
  return { hasLegalHold, service: service && { ...service, authToken: isForAdmin ? service.authToken : "" } };
}
