import type { Account } from "#shared/accounts/account.ts";
import type { Scope } from "#shared/accounts/search/search-list.ts";
import type { Settings } from "#shared/registry/settings.ts";

/**
 * Scopes in which a searcher may find users by text, in groups in order of rank, so that team mates come first. A team
 * can keep its members to the first group.
 */
export function visibleScopes(
  { teamId }: Pick<Account, "teamId">,
  { searchSameTeamOnly }: Pick<Settings, "searchSameTeamOnly">,
): Scope[][] {
  if (teamId === undefined) return [["public"]];
  return searchSameTeamOnly ? [[`team#${teamId}`]] : [[`team#${teamId}`], ["public", "open-teams"]];
}
