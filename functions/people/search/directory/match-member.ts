import type { DirectoryEntry } from "#shared/accounts/search/directory-entry.ts";
import { toWords } from "#shared/accounts/search/words.ts";
import { toAsciiAddress, toUnicodeAddress } from "#shared/platform/email-address.ts";

const weights = { wholeAddress: 4, wholeNameWord: 3, addressPrefix: 2, namePrefix: 1 };

/**
 * Score a member against the words of a query: the sum of each word's best match in name, handle or email address.
 * Undefined unless every word matches something; 0 without words.
 */
export function matchMember(
  { handle, email, emailUnvalidated, nameWords }: DirectoryEntry,
  queryWords: readonly string[],
): number | undefined {
  const addresses = [handle, email, emailUnvalidated].flatMap((address) =>
    address === undefined ? [] : spellingsOf(address.toLowerCase()),
  );
  let sum = 0;
  for (const queryWord of queryWords) {
    const score = scoreOf(queryWord, addresses, nameWords);
    if (score === 0) return undefined;
    sum += score;
  }
  return sum;
}

/** The words of an address, with both forms of an internationalised domain. */
function spellingsOf(address: string): string[] {
  const ascii = toAsciiAddress(address);
  return ascii.includes("xn--") ? [ascii, ...toWords(toUnicodeAddress(ascii))] : [address];
}

function scoreOf(queryWord: string, addresses: readonly string[], nameWords: readonly string[]): number {
  const isFound = (word: string) => word.startsWith(queryWord);
  if (addresses.includes(queryWord)) return weights.wholeAddress;
  if (nameWords.includes(queryWord)) return weights.wholeNameWord;
  if (addresses.some(isFound)) return weights.addressPrefix;
  return nameWords.some(isFound) ? weights.namePrefix : 0;
}
