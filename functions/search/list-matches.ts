import type { SearchDocument } from "#shared/data/search/search-document.ts";
import type { SearchIndexStore } from "#shared/data/search/search-index-store.ts";
import type { Scope, SearchList } from "#shared/data/search/search-list.ts";
import { type Cursor, foreignPosition, type Position, type Rank } from "./position.ts";
import { compareRanks, type Match, type MatchQuery, readWindow } from "./read-window.ts";

/**
 * Entries that a window takes of each list. Of what one word finds nearly all match; with several words few do, but the
 * database filters them.
 */
const windowSizes = { oneWord: 50, severalWords: 500 };
/** Windows that one search reads beyond the first of each tier. */
const maxFurtherWindows = 5;

/** Lists whose users rank by score; the users of a tier come before those of the next. */
type Tier = readonly SearchList[];

/** Where a page begins; how many came before does not matter here. */
type Place = Omit<Position, "listed">;

export interface TextQuery extends Pick<MatchQuery, "isExcluded"> {
  /** Normalised; at least one. */
  readonly words: readonly string[];
  readonly scopes: readonly (readonly Scope[])[];
  readonly size: number;
  readonly start: Place | undefined;
}

export interface MatchPage {
  readonly documents: readonly SearchDocument[];
  /** Matches in what was read, listed or not. */
  readonly seen: number;
  /** Where the next page begins; undefined when there is nothing more. */
  readonly next: Place | undefined;
}

/**
 * Users of whom each query word is the beginning of a word, best first. What the longest query word finds is read in
 * windows, and ranked within each; so the order is exact while a list has no more for it than a window takes.
 *
 * @throws ApiError `bad-request` when `start` is of another search
 */
export async function listMatches(
  index: SearchIndexStore,
  { words, scopes, isExcluded, size, start }: TextQuery,
): Promise<MatchPage> {
  const [driver = "", ...otherWords] = words.toSorted((one, other) => other.length - one.length);
  const tiers = tiersOf(scopes);
  const place = start ?? { tier: 0, cursors: startOf(tiers[0]), limit: windowSizeFor(words, size) };
  checkPlace(place, tiers, driver);
  const { limit } = place;
  const query = { driver, otherWords, isExcluded, limit };

  async function read(tier: number, from: readonly Cursor[], last?: Rank) {
    const window = await readWindow(index, tiers[tier] ?? [], from, query);
    const isNew = ({ rank }: Match) => last === undefined || compareRanks(last, rank) < 0;
    return { tier, from, to: window.to, matches: window.matches.filter(isNew) };
  }

  const windows = await Promise.all([
    read(place.tier, place.cursors, place.last),
    ...[...tiers.entries()].slice(place.tier + 1).map(([tier, lists]) => read(tier, startOf(lists))),
  ]);
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

const tiersOf = (scopes: TextQuery["scopes"]): Tier[] =>
  scopes.flatMap((group): Tier[] => [
    group.flatMap((scope): SearchList[] => [
      { scope, kind: "handles" },
      { scope, kind: "names" },
    ]),
    group.map((scope): SearchList => ({ scope, kind: "names-without-handle" })),
  ]);

const startOf = (lists: Tier = []): Cursor[] => lists.map(() => "");

const windowSizeFor = (words: readonly string[], size: number) =>
  words.length > 1 ? windowSizes.severalWords : Math.max(windowSizes.oneWord, size);

function checkPlace({ tier, cursors }: Place, tiers: readonly Tier[], driver: string): void {
  const isOfLists =
    cursors.length === tiers[tier]?.length &&
    cursors.every((cursor) => cursor === null || cursor === "" || cursor.startsWith(driver));
  if (!isOfLists) throw foreignPosition();
}
