import type { SearchDocument } from "./search-document.ts";

/**
 * Users who are visible or invisible as a whole: those without a team, the members of a team, or the members of all teams
 * that let other teams find theirs.
 */
export type Scope = "public" | `team#${string}` | "open-teams";

/** Users with a handle rank above those without, so their names are in a list of their own. */
type ListKind = "handles" | "names" | "names-without-handle";

/** Words of one kind, sorted, each with the users whom it finds. */
export interface SearchList {
  readonly scope: Scope;
  readonly kind: ListKind;
}

/** Primary key of an index entry. */
export interface EntryKey {
  readonly list: string;
  readonly entry: string;
}

function scopesOf({ teamId }: SearchDocument, isOpen: boolean): Scope[] {
  if (teamId === undefined) return ["public"];
  return isOpen ? [`team#${teamId}`, "open-teams"] : [`team#${teamId}`];
}

const kinds: readonly ListKind[] = ["handles", "names", "names-without-handle"];

function wordsIn(kind: ListKind, { handle, nameWords }: SearchDocument): readonly string[] {
  if (handle === undefined) return kind === "names-without-handle" ? nameWords : [];
  if (kind === "handles") return [handle];
  return kind === "names" ? nameWords : [];
}

/** Partition for a word of a list: the first character of the words spreads a list over partitions. */
export const partitionOf = ({ scope, kind }: SearchList, word: string) =>
  `${scope}#${kind}#${word.charAt(0)}`;

/** Words contain no spaces, and nothing sorts before a space, so a word sorts before all longer words it starts. */
const entryOf = (word: string, userId: string) => `${word} ${userId}`;

/** Entries that a list contains for a user. */
export const entriesIn = ({ kind }: Pick<SearchList, "kind">, document: SearchDocument): string[] =>
  wordsIn(kind, document).map((word) => entryOf(word, document.userId));

/**
 * Keys of all index entries of a user.
 * @param isOpen whether members of other teams find the user
 */
export const entryKeysOf = (document: SearchDocument, isOpen: boolean): EntryKey[] =>
  scopesOf(document, isOpen).flatMap((scope) =>
    kinds.flatMap((kind) =>
      entriesIn({ kind }, document).map((entry) => ({ list: partitionOf({ scope, kind }, entry), entry })),
    ),
  );
