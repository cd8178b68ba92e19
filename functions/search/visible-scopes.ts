import type { Account } from "#shared/data/account/account.ts";
import type { Scope } from "#shared/data/search/search-list.ts";
import type { Settings } from "#shared/settings.ts";

/**
 * Whom a searcher finds by text (table of spec heading Search): groups of users that rank one behind the other, because
 * teammates lead.
 */
export function visibleScopes(
  { teamId }: Pick<Account, "teamId">,
  { searchSameTeamOnly }: Pick<Settings, "searchSameTeamOnly">,
): Scope[][] {
  if (teamId === undefined) return [["public"]];
  return searchSameTeamOnly ? [[`team#${teamId}`]] : [[`team#${teamId}`], ["public"]];
}
