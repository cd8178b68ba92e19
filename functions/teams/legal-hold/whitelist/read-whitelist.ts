import { isImplicit } from "#shared/accounts/legal-hold-status.ts";
import type { Deps } from "../deps.ts";

/**
 * Whether a team is on the list of those that have legal hold. No team is unless the setting `legalhold` uses the list.
 * @see operation `i-get-team-legalhold-whitelisted`
 */
export async function isWhitelisted({ features, settings }: Deps, teamId: string): Promise<boolean> {
  return isImplicit(settings) && (await features.get(teamId)).isLegalHoldWhitelisted === true;
}

/** Read one page of the list. @see operation `i-list-teams-legalhold-whitelisted` */
export async function listWhitelisted(
  { legalHoldWhitelist, settings }: Deps,
  page: { limit: number; after?: string },
): Promise<string[]> {
  return isImplicit(settings) ? legalHoldWhitelist.page(page) : [];
}
