import type { SearchDocument } from "./search-document.ts";

/** A part of the users that is visible or invisible as a whole: those without team, or the members of a team. */
export type Scope = "public" | `team#${string}`;

/** Users with a handle rank above those without, so their names stand in lists of their own. */
export type ListKind = "handles" | "names" | "names-without-handle";

/** Words of one kind, in order, each with the users whom it finds. */
export interface SearchList {
  readonly scope: Scope;
  readonly kind: ListKind;
}

export interface EntryKey {
  readonly list: string;
  readonly entry: string;
}

const scopesOf = ({ teamId }: SearchDocument): Scope[] => [
  teamId === undefined ? "public" : `team#${teamId}`,
];

const kinds: readonly ListKind[] = ["handles", "names", "names-without-handle"];

function wordsIn(kind: ListKind, { handle, nameWords }: SearchDocument): readonly string[] {
  if (handle === undefined) return kind === "names-without-handle" ? nameWords : [];
  if (kind === "handles") return [handle];
  return kind === "names" ? nameWords : [];
}

/** A list is split by the first character of its words, which spreads it over partitions. */
export const partitionOf = ({ scope, kind }: SearchList, word: string) =>
  `${scope}#${kind}#${word.charAt(0)}`;

/** Words have no blanks and nothing sorts before a blank, so a word stands before all that it begins. */
const entryOf = (word: string, userId: string) => `${word} ${userId}`;

/** Entries by which a list leads to a user. */
export const entriesIn = ({ kind }: Pick<SearchList, "kind">, document: SearchDocument): string[] =>
  wordsIn(kind, document).map((word) => entryOf(word, document.userId));

/** Keys of all index entries of a user. */
export const entryKeysOf = (document: SearchDocument): EntryKey[] =>
  scopesOf(document).flatMap((scope) =>
    kinds.flatMap((kind) =>
      entriesIn({ kind }, document).map((entry) => ({ list: partitionOf({ scope, kind }, entry), entry })),
    ),
  );
