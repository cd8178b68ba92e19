import { type Account, type Claim, currentStatus, isActivated } from "#shared/data/account/account.ts";
import { handleIdentity } from "#shared/data/account/identity.ts";
import type { SearchDocument } from "#shared/data/search/search-document.ts";
import { ApiError } from "#shared/errors.ts";
import { checkLocalDomain } from "#shared/http/local-domain.ts";
import { searchableOf } from "#shared/search/stage-index-update.ts";
import { toWords } from "#shared/search/words.ts";
import type { Settings } from "#shared/settings.ts";
import type { Deps } from "./deps.ts";
import { listMatches } from "./list-matches.ts";
import { readPosition, writePosition } from "./position.ts";
import { visibleScopes } from "./visible-scopes.ts";

export interface SearchCommand {
  readonly searcherId: string;
  readonly query: string;
  readonly domain?: string;
  readonly size: number;
  /** Of the page before. */
  readonly pagingState?: string;
}

export type Contact = Omit<SearchDocument, "nameWords">;

export interface SearchPage {
  readonly contacts: readonly Contact[];
  /** Matches on all pages, as far as they have been seen. */
  readonly found: number;
  readonly pagingState: string | undefined;
}

/**
 * Find the user who has the very handle that was asked for, and then users whose name or handle begins with the words.
 * A page may have less than `size` users although another one follows.
 *
 * @throws ApiError `federation-not-enabled` for another domain; `insufficient-permissions` unless the searcher is active
 *   and activated; `bad-request` for a paging state of another search
 * @see operation `search-contacts`
 */
export async function searchContacts(deps: Deps, command: SearchCommand): Promise<SearchPage> {
  const { accounts, clock, searchIndex, settings } = deps;
  const { searcherId, query, domain, size } = command;
  if (domain !== undefined) checkLocalDomain(domain, settings);
  const start = command.pagingState === undefined ? undefined : readPosition(command.pagingState);
  const handle = handleIn(query);
  const [searcher, claim] = await Promise.all([
    accounts.get(searcherId),
    handle === undefined ? undefined : accounts.findClaim(handleIdentity(handle)),
  ]);
  checkMaySearch(searcher, clock());

  const words = toWords(query);
  if (words.length === 0) return { contacts: [], found: 0, pagingState: undefined };
  const ownerId =
    claim !== undefined && claim.userId !== searcherId && isReachable(claim, searcher, settings)
      ? claim.userId
      : undefined;
  const listsOwner = ownerId !== undefined && start === undefined;
  const [owner, { documents, seen, next }] = await Promise.all([
    listsOwner ? findContact(deps, ownerId) : [],
    listMatches(searchIndex, {
      words,
      scopes: visibleScopes(searcher, settings),
      isExcluded: ({ userId }) => userId === searcherId || userId === claim?.userId,
      size: size - Number(listsOwner),
      start,
    }),
  ]);
  const contacts = [...owner, ...documents];
  const listedBefore = start?.listed ?? 0;
  return {
    contacts,
    found: listedBefore + owner.length + seen,
    pagingState: next && writePosition({ ...next, listed: listedBefore + contacts.length }),
  };
}

/** The handle that a query may be. */
const handleIn = (query: string): string | undefined =>
  /^@?([a-z0-9_.-]{2,256})$/.exec(query.trim().toLowerCase())?.[1];

function checkMaySearch(searcher: Account | undefined, now: number): asserts searcher is Account {
  const isAllowed =
    searcher !== undefined && currentStatus(searcher, now) === "active" && isActivated(searcher);
  if (!isAllowed) throw new ApiError("insufficient-permissions");
}

/** Whether a handle leads to its owner: a team is no hindrance unless the setting makes it one. */
const isReachable = ({ status, teamId }: Claim, searcher: Account, { searchSameTeamOnly }: Settings) =>
  status === "active" && !(searchSameTeamOnly && teamId !== undefined && teamId !== searcher.teamId);

async function findContact({ accounts }: Deps, userId: string): Promise<Contact[]> {
  const account = await accounts.get(userId);
  const searchable = account && searchableOf(account);
  return searchable === undefined ? [] : [{ userId, ...searchable }];
}
