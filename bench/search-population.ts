import { createHash } from "node:crypto";
import { type SearchDocument, toDocument } from "#shared/accounts/search/search-document.ts";

/** Number of different names: a few of them are common, most are rare. */
const firstNames = 3000;
const surnames = 20_000;
const shareWithHandle = 0.6;

const consonants = "bdfghjklmnprstvw";
const vowels = "aeiou";
const syllables = [...consonants].flatMap((consonant) => [...vowels].map((vowel) => consonant + vowel));

/** Generate users, the same ones each time. */
export function* population(size: number): Generator<SearchDocument> {
  const random = sequence();
  for (let index = 0; index < size; index++) {
    const name = `${firstName(skewed(random, firstNames))} ${surname(skewed(random, surnames))}`;
    const handle = random() < shareWithHandle ? `${name.toLowerCase().replace(" ", ".")}${index}` : undefined;
    yield toDocument(userId(index), { name, accentId: 0, handle, teamId: undefined });
  }
}

/** A name by its rank; low ranks are common. */
export const firstName = (rank: number) => capitalised(spell(rank, 2));
export const surname = (rank: number) => capitalised(spell(rank, 3));

/** Spells each number differently; neighbours differ in their first letters. */
function spell(number: number, length: number): string {
  let text = "";
  for (let rest = number, index = 0; index < length || rest > 0; index++) {
    text += syllables[(rest + 37 * index) % syllables.length];
    rest = Math.floor(rest / syllables.length);
  }
  return text;
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Squares a uniform distribution: of 3000, the first gets 1.8 % of all draws, the last about 0.02 %. */
const skewed = (random: () => number, count: number) => Math.floor(count * random() ** 2);

function userId(index: number): string {
  const hex = createHash("sha256").update(String(index)).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Linear congruential generator (Numerical Recipes): the same numbers each time. */
function sequence(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
