import type { SearchDocument } from "#shared/accounts/search/search-document.ts";
import type { SearchIndexStore } from "#shared/accounts/search/search-index-store.ts";
import { entriesIn, type Scope, type SearchList } from "#shared/accounts/search/search-list.ts";
import { longestPrefix } from "#shared/accounts/search/words.ts";
import type { ListCursor, Rank } from "./search-cursor.ts";

/** The words of a search. */
export interface MatchQuery {
  /** The query word by which the lists are read. */
  readonly driver: string;
  readonly otherWords: readonly string[];
  readonly isExcluded: (document: SearchDocument, scope: Scope) => boolean;
  /** Entries that a window takes from each list. */
  readonly limit: number;
}

export interface Match {
  readonly rank: Rank;
  readonly document: SearchDocument;
}

/** Matches in one part of each of several lists. */
export interface Window {
  /** Where each part ends. */
  readonly to: readonly ListCursor[];
  /** Best first. */
  readonly matches: readonly Match[];
}

/** Maximum number of query words for the filter of the database; the others count only in scoring. */
const maxFilterWords = 8;

/** Read the next part of each list from its cursor, and rank the users in it who have not been found before. */
export async function readWindow(
  index: SearchIndexStore,
  lists: readonly SearchList[],
  from: readonly ListCursor[],
  query: MatchQuery,
): Promise<Window> {
  const pages = await Promise.all(
    lists.map((list, listIndex) => readPage(index, list, from[listIndex], query)),
  );
  const cursors = lists.map((list, listIndex) => ({ list, cursor: from[listIndex] }));
  const matches = pages.flatMap(({ documents, scope }) => {
    // A user is in only one scope of a tier, so only lists of that scope can contain the same user.
    const ofScope = cursors.filter(({ list }) => list.scope === scope);
    return documents
      .filter(
        (document) =>
          !ofScope.some(({ list, cursor }) => isFoundBefore(cursor, list, document, query.driver)),
      )
      .flatMap((document) => toMatch(document, scope, query));
  });
  const unique = new Map(matches.map((match) => [match.rank.userId, match]));
  return {
    to: pages.map(({ end }) => end ?? null),
    matches: [...unique.values()].sort((one, other) => compareRanks(one.rank, other.rank)),
  };
}

async function readPage(
  index: SearchIndexStore,
  list: SearchList,
  cursor: ListCursor | undefined,
  { driver, otherWords, limit }: MatchQuery,
) {
  const { scope } = list;
  if (cursor === null) return { scope, documents: [], end: undefined };
  const page = await index.read(list, {
    prefix: driver,
    after: cursor || undefined,
    limit,
    otherWords: otherWords.slice(0, maxFilterWords),
  });
  return { scope, ...page };
}

/** Whether a user was already found, by an entry in the part of a list that earlier windows read. */
const isFoundBefore = (
  cursor: ListCursor | undefined,
  list: SearchList,
  document: SearchDocument,
  driver: string,
): boolean =>
  entriesIn(list, document).some(
    (entry) => entry.startsWith(driver) && (cursor === null || entry <= (cursor ?? "")),
  );

function toMatch(
  document: SearchDocument,
  scope: Scope,
  { driver, otherWords, isExcluded }: MatchQuery,
): Match[] {
  const score = isExcluded(document, scope) ? undefined : scoreOf(document, [driver, ...otherWords]);
  if (score === undefined) return [];
  const name = document.nameWords.join(" ").slice(0, rankedNameLength);
  return [{ rank: { score, name, userId: document.userId }, document }];
}

/** Characters of the name that decide the order of equal scores. */
const rankedNameLength = 64;

/** Higher scores first, equal ones by name. */
export const compareRanks = (one: Rank, other: Rank): number =>
  other.score - one.score || compareTexts(one.name, other.name) || compareTexts(one.userId, other.userId);

const compareTexts = (one: string, other: string) => Number(one > other) - Number(one < other);

const weights = { wholeNameWord: 3, handlePrefix: 2, namePrefix: 1 };

/**
 * Score a user against the words of a query: the sum of the weights of all matches. Undefined unless every word matches
 * something.
 */
export function scoreOf(
  { handle, nameWords }: Pick<SearchDocument, "handle" | "nameWords">,
  queryWords: readonly string[],
): number | undefined {
  const scores = queryWords.map((queryWord) => {
    const isMatch = (word: string) => isFoundBy(queryWord, word);
    return (
      (nameWords.includes(queryWord) ? weights.wholeNameWord : 0) +
      (handle !== undefined && isMatch(handle) ? weights.handlePrefix : 0) +
      (nameWords.some(isMatch) ? weights.namePrefix : 0)
    );
  });
  return scores.includes(0) ? undefined : scores.reduce((sum, score) => sum + score, 0);
}

const isFoundBy = (queryWord: string, word: string) =>
  word === queryWord || (queryWord.length <= longestPrefix && word.startsWith(queryWord));
