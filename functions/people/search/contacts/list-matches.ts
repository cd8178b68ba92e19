import type { SearchDocument } from "#shared/accounts/search/search-document.ts";
import type { SearchIndexStore } from "#shared/accounts/search/search-index-store.ts";
import type { Scope, SearchList } from "#shared/accounts/search/search-list.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { compareRanks, type Match, type MatchQuery, readWindow } from "./read-window.ts";
import type { ListCursor, Rank, SearchCursor } from "./search-cursor.ts";

/**
 * Entries that a window takes from each list. With one query word, nearly all entries match; with several, few do, but
 * the database filters them.
 */
const windowSizes = { oneWord: 50, severalWords: 500 };
/** Maximum number of windows that one search reads in addition to the first of each tier. */
const maxFurtherWindows = 5;

/** Lists whose users are ranked together by score; the users of a tier precede those of the next. */
type Tier = readonly SearchList[];

/** Where a page starts, whatever the number of users before it. */
type MatchCursor = Omit<SearchCursor, "listed">;

export interface TextQuery extends Pick<MatchQuery, "isExcluded"> {
  /** Normalised; at least one. */
  readonly words: readonly string[];
  /** Scopes that the searcher may see, in groups in order of rank. */
  readonly scopes: readonly (readonly Scope[])[];
  /** How many of the groups the searcher sees. Entries of others that were read before this is known are dropped. */
  readonly visibleGroups: Promise<number>;
  readonly size: number;
  readonly start: MatchCursor | undefined;
}

export interface MatchPage {
  readonly documents: readonly SearchDocument[];
  /** Matches among the entries read, whether listed or not. */
  readonly seen: number;
  /** Where the next page starts; undefined when there is none. */
  readonly next: MatchCursor | undefined;
}

/**
 * List the users who have, for each query word, a word that begins with it, best first. The entries for the longest
 * query word are read in windows and ranked within each, so the order is exact if each list fits into one window.
 *
 * @throws ApiError `bad-request` when `start` belongs to another search
 */
export async function listMatches(
  index: SearchIndexStore,
  { words, scopes, visibleGroups, isExcluded, size, start }: TextQuery,
): Promise<MatchPage> {
  const [driver = "", ...otherWords] = words.toSorted((one, other) => other.length - one.length);
  const groups = scopes.map(tiersOf);
  const tiers = groups.flat();
  const pageStart = start ?? { tier: 0, cursors: startOf(tiers[0]), limit: windowSizeFor(words, size) };
  checkCursor(pageStart, tiers, driver);
  const { limit } = pageStart;
  const query = { driver, otherWords, isExcluded, limit };

  async function read(tier: number, from: readonly ListCursor[], last?: Rank) {
    const window = await readWindow(index, tiers[tier] ?? [], from, query);
    const isNew = ({ rank }: Match) => last === undefined || compareRanks(last, rank) < 0;
    return { tier, from, to: window.to, matches: window.matches.filter(isNew) };
  }

  const [visible, ...firstWindows] = await Promise.all([
    visibleGroups,
    read(pageStart.tier, pageStart.cursors, pageStart.last),
    ...[...tiers.entries()].slice(pageStart.tier + 1).map(([tier, lists]) => read(tier, startOf(lists))),
  ]);
  const visibleTiers = groups.slice(0, visible).flat().length;
  const windows = firstWindows.filter(({ tier }) => tier < visibleTiers);
  const documents: SearchDocument[] = [];
  let seen = windows.reduce((sum, { matches }) => sum + matches.length, 0);
  let furtherWindows = 0;
  for (let window = windows.shift(); window !== undefined; window = windows.shift()) {
    const { tier, from, to, matches } = window;
    const room = size - documents.length;
    documents.push(...matches.slice(0, room).map(({ document }) => document));
    if (matches.length > room) {
      return { documents, seen, next: { tier, cursors: [...from], last: matches[room - 1]?.rank, limit } };
    }
    if (to.every((cursor) => cursor === null)) continue;
    if (documents.length === size || furtherWindows++ === maxFurtherWindows) {
      return { documents, seen, next: { tier, cursors: [...to], limit } };
    }
    const further = await read(tier, to);
    seen += further.matches.length;
    windows.unshift(further);
  }
  return { documents, seen, next: undefined };
}

const tiersOf = (group: readonly Scope[]): Tier[] => [
  group.flatMap((scope): SearchList[] => [
    { scope, kind: "handles" },
    { scope, kind: "names" },
  ]),
  group.map((scope): SearchList => ({ scope, kind: "names-without-handle" })),
];

const startOf = (lists: Tier = []): ListCursor[] => lists.map(() => "");

const windowSizeFor = (words: readonly string[], size: number) =>
  words.length > 1 ? windowSizes.severalWords : Math.max(windowSizes.oneWord, size);

function checkCursor({ tier, cursors }: MatchCursor, tiers: readonly Tier[], driver: string): void {
  const isOfLists =
    cursors.length === tiers[tier]?.length &&
    cursors.every((cursor) => cursor === null || cursor === "" || cursor.startsWith(driver));
  if (!isOfLists) throw new ApiError("bad-request", { message: "pagingState: not of this search" });
}
