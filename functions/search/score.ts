import type { SearchDocument } from "#shared/data/search/search-document.ts";
import { longestPrefix } from "#shared/search/words.ts";

const weights = { wholeNameWord: 3, handlePrefix: 2, namePrefix: 1 };

/**
 * How well a user fits the words of a query: for each word the sum of the weights of what it fits. Undefined unless every
 * word fits something.
 */
export function scoreOf(
  { handle, nameWords }: Pick<SearchDocument, "handle" | "nameWords">,
  queryWords: readonly string[],
): number | undefined {
  const scores = queryWords.map((queryWord) => {
    const fits = (word: string) => isFoundBy(queryWord, word);
    return (
      (nameWords.includes(queryWord) ? weights.wholeNameWord : 0) +
      (handle !== undefined && fits(handle) ? weights.handlePrefix : 0) +
      (nameWords.some(fits) ? weights.namePrefix : 0)
    );
  });
  return scores.includes(0) ? undefined : scores.reduce((sum, score) => sum + score, 0);
}

const isFoundBy = (queryWord: string, word: string) =>
  word === queryWord || (queryWord.length <= longestPrefix && word.startsWith(queryWord));
