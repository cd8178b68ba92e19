import * as z from "zod";
import type { Searchable } from "#shared/accounts/index-update.ts";
import { toWords } from "./words.ts";

/** Content of each index entry of a user, so that a search needs no other reads. */
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

/** Maximum number of indexed words of a name, so that all entries of a user fit into one transaction. */
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
