import * as z from "zod";
import type { Searchable } from "#shared/accounts/index-update.ts";
import { toWords } from "./words.ts";

/** What each index entry of a user contains, so that a search needs no other reads. */
export const searchDocument = z.object({
  userId: z.uuid(),
  name: z.string(),
  accentId: z.int(),
  handle: z.string().optional(),
  teamId: z.uuid().optional(),
  /** Normalised words of the name. */
  nameWords: z.array(z.string()),
});
export type SearchDocument = z.infer<typeof searchDocument>;

/** Most words of a name that are indexed, so that all entries of a user fit into one transaction. */
const maxNameWords = 16;

/** Creates the document of a user whom search may find. */
export const toDocument = (
  userId: string,
  { name, accentId, handle, teamId }: Searchable,
): SearchDocument => ({
  userId,
  name,
  accentId,
  handle,
  teamId,
  nameWords: toWords(name).slice(0, maxNameWords),
});
