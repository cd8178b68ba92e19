import * as z from "zod";
import type { Searchable } from "../../search/stage-index-update.ts";
import { toWords } from "../../search/words.ts";

/** What each index entry of a user holds, so that a search needs nothing else. */
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

/** Words of a name that count; with them all entries of a user fit into one transaction. */
const maxNameWords = 16;

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
