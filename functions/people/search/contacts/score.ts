import type { SearchDocument } from "#shared/accounts/search/search-document.ts";
import { longestPrefix } from "#shared/accounts/search/words.ts";

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
