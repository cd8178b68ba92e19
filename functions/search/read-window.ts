import type { SearchDocument } from "#shared/data/search/search-document.ts";
import type { SearchIndexStore } from "#shared/data/search/search-index-store.ts";
import { entriesIn, type SearchList } from "#shared/data/search/search-list.ts";
import type { Cursor, Rank } from "./position.ts";
import { scoreOf } from "./score.ts";

/** What is searched for. */
export interface MatchQuery {
  /** Query word by which the lists are read. */
  readonly driver: string;
  readonly otherWords: readonly string[];
  readonly isExcluded: (document: SearchDocument) => boolean;
  /** Entries that a window takes of each list. */
  readonly limit: number;
}

export interface Match {
  readonly rank: Rank;
  readonly document: SearchDocument;
}

/** What a part of each of some lists has. */
export interface Window {
  /** Where each part ends. */
  readonly to: readonly Cursor[];
  /** Best first. */
  readonly matches: readonly Match[];
}

/** Words that the database filters by; in the end all are looked at. */
const maxFilterWords = 8;

/** Read on in some lists, each from its cursor, and rank what is found there and has not been found before. */
export async function readWindow(
  index: SearchIndexStore,
  lists: readonly SearchList[],
  from: readonly Cursor[],
  query: MatchQuery,
): Promise<Window> {
  const pages = await Promise.all(
    lists.map((list, position) => readPage(index, list, from[position], query)),
  );
  const cursors = lists.map((list, position) => ({ list, cursor: from[position] }));
  const matches = pages.flatMap(({ documents }, position) => {
    // Users of different scopes are different ones.
    const ofScope = cursors.filter(({ list }) => list.scope === lists[position]?.scope);
    return documents
      .filter(
        (document) => !ofScope.some(({ list, cursor }) => isBehind(cursor, list, document, query.driver)),
      )
      .flatMap((document) => toMatch(document, query));
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
  cursor: Cursor | undefined,
  { driver, otherWords, limit }: MatchQuery,
) {
  if (cursor === null) return { documents: [], end: undefined };
  return index.read(list, {
    prefix: driver,
    after: cursor || undefined,
    limit,
    otherWords: otherWords.slice(0, maxFilterWords),
  });
}

/** Whether a user has an entry in the part of a list that has been read, and was found there. */
const isBehind = (
  cursor: Cursor | undefined,
  list: SearchList,
  document: SearchDocument,
  driver: string,
): boolean =>
  entriesIn(list, document).some(
    (entry) => entry.startsWith(driver) && (cursor === null || entry <= (cursor ?? "")),
  );

function toMatch(document: SearchDocument, { driver, otherWords, isExcluded }: MatchQuery): Match[] {
  const score = isExcluded(document) ? undefined : scoreOf(document, [driver, ...otherWords]);
  if (score === undefined) return [];
  const name = document.nameWords.join(" ").slice(0, rankedNameLength);
  return [{ rank: { score, name, userId: document.userId }, document }];
}

/** Characters of the name that count for the order of equal scores. */
const rankedNameLength = 64;

/** Higher scores first, equal ones by name. */
export const compareRanks = (one: Rank, other: Rank): number =>
  other.score - one.score || compareTexts(one.name, other.name) || compareTexts(one.userId, other.userId);

const compareTexts = (one: string, other: string) => Number(one > other) - Number(one < other);
