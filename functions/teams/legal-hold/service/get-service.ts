import type { LegalHoldService } from "#shared/legal-hold/legal-hold-service.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";
import { readSettings } from "./read-settings.ts";

/**
 * Get the legal hold service of a team; also says whether the team has legal hold at all.
 *
 * @throws ApiError `not-a-team-member`
 * @see operation `get-legal-hold-settings`
 */
export async function getService(
  deps: Deps,
  membership: Membership,
): Promise<{ hasLegalHold: boolean; service: LegalHoldService | undefined }> {
  const { hasLegalHold, member, service } = await readSettings(deps, membership);
  checkMember(member);
  return { hasLegalHold, service };
}
