import { type Account, type Claim, currentStatus, isActivated } from "#shared/accounts/account.ts";
import { handleIdentity } from "#shared/accounts/identity.ts";
import { searchableOf } from "#shared/accounts/index-update.ts";
import type { SearchDocument } from "#shared/accounts/search/search-document.ts";
import type { Scope } from "#shared/accounts/search/search-list.ts";
import { toWords } from "#shared/accounts/search/words.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { checkMember, insufficientPermissions } from "#shared/teams/check-member.ts";
import type { Deps } from "../deps.ts";
import { listMatches } from "./list-matches.ts";
import type { SearchCursor } from "./search-cursor.ts";

export interface SearchCommand {
  readonly searcherId: string;
  readonly query: string;
  readonly domain?: string;
  readonly size: number;
  /** Where the previous page ended. */
  readonly start?: SearchCursor;
}

type Contact = Omit<SearchDocument, "nameWords">;

export interface SearchPage {
  readonly contacts: readonly Contact[];
  /** Matches on all pages so far. */
  readonly found: number;
  /** Where the next page starts; undefined when there is none. */
  readonly next: SearchCursor | undefined;
}

/**
 * Find the user whose handle is exactly the query, then users whose name or handle begins with its words. A page may
 * have fewer than `size` users even if another one follows.
 *
 * @throws ApiError `federation-not-enabled` for another domain; `insufficient-permissions` unless the searcher is
 *   active and activated, and, as a member of a team, may search; `bad-request` for a cursor of another search
 * @see operation `search-contacts`
 */
export async function searchContacts(deps: Deps, command: SearchCommand): Promise<SearchPage> {
  const { accounts, clock, searchIndex, settings } = deps;
  const { searcherId, query, domain, size, start } = command;
  if (domain !== undefined) checkLocalDomain(domain, settings);
  const handle = handleIn(query);
  const [searcher, claim] = await Promise.all([
    accounts.get(searcherId),
    handle === undefined ? undefined : accounts.findClaim(handleIdentity(handle)),
  ]);
  checkIsActive(searcher, clock());
  const words = toWords(query);
  const scopes = visibleScopes(searcher, settings);
  const visibleGroups = countVisibleGroups(deps, searcher, scopes);
  if (words.length === 0) {
    await visibleGroups;
    return { contacts: [], found: 0, next: undefined };
  }
  const ownerId =
    claim !== undefined && claim.userId !== searcherId && isReachable(claim, searcher, settings)
      ? claim.userId
      : undefined;
  const listsOwner = ownerId !== undefined && start === undefined;
  const isListedAsTeamMate = ({ teamId }: SearchDocument, scope: Scope) =>
    scope === "open-teams" && teamId === searcher.teamId;
  const [owner, { documents, seen, next }] = await Promise.all([
    listsOwner ? findContact(deps, ownerId) : [],
    listMatches(searchIndex, {
      words,
      scopes,
      visibleGroups,
      isExcluded: (document, scope) =>
        [searcherId, claim?.userId].includes(document.userId) || isListedAsTeamMate(document, scope),
      size: size - Number(listsOwner),
      start,
    }),
    visibleGroups,
  ]);
  const contacts = [...owner, ...documents];
  const listedBefore = start?.listed ?? 0;
  return {
    contacts,
    found: listedBefore + owner.length + seen,
    next: next && { ...next, listed: listedBefore + contacts.length },
  };
}

/** The query as a handle, if it may be one. */
const handleIn = (query: string): string | undefined =>
  /^@?([a-z0-9_.-]{2,256})$/.exec(query.trim().toLowerCase())?.[1];

function checkIsActive(searcher: Account | undefined, now: number): asserts searcher is Account {
  const isAllowed =
    searcher !== undefined && currentStatus(searcher, now) === "active" && isActivated(searcher);
  if (!isAllowed) throw new ApiError("insufficient-permissions");
}

/**
 * Reads how many groups of scopes the searcher's team lets its members see: all, or only the team itself.
 * @throws ApiError `insufficient-permissions` for a member who may not search
 */
async function countVisibleGroups(
  { teams }: Deps,
  { userId, teamId }: Account,
  scopes: readonly unknown[],
): Promise<number> {
  if (teamId === undefined) return scopes.length;
  const [team, member] = await Promise.all([teams.get(teamId), teams.getMember({ teamId, userId })]);
  checkMember(member, { role: "member" }, insufficientPermissions);
  return team?.searchVisibility === "no-name-outside-team" ? 1 : scopes.length;
}

/**
 * Whether the searcher finds the owner by the handle: another team matters only with the setting `searchSameTeamOnly`.
 */
const isReachable = ({ status, teamId }: Claim, searcher: Account, { searchSameTeamOnly }: Settings) =>
  status === "active" && !(searchSameTeamOnly && teamId !== undefined && teamId !== searcher.teamId);

async function findContact({ accounts }: Deps, userId: string): Promise<Contact[]> {
  const account = await accounts.get(userId);
  const searchable = account && searchableOf(account);
  return searchable === undefined ? [] : [{ userId, ...searchable }];
}

/**
 * Scopes in which a searcher may find users by text, in groups in order of rank, so that team mates come first. A team
 * can keep its members to the first group.
 */
function visibleScopes(
  { teamId }: Pick<Account, "teamId">,
  { searchSameTeamOnly }: Pick<Settings, "searchSameTeamOnly">,
): Scope[][] {
  if (teamId === undefined) return [["public"]];
  return searchSameTeamOnly ? [[`team#${teamId}`]] : [[`team#${teamId}`], ["public", "open-teams"]];
}
