import * as z from "zod";
import { ApiError } from "../../errors.ts";
import type { Settings } from "../../settings.ts";

/** What a team keeps about a member beside the profile: fields in the order in which they are shown. */
export const richInfo = z.object({
  version: z.int(),
  fields: z.array(z.object({ type: z.string(), value: z.string() })),
});
export type RichInfo = z.infer<typeof richInfo>;

/**
 * Rich info as it may be stored: without empty values, and with the first of the fields whose types differ at most in
 * upper and lower case.
 *
 * @throws ApiError `rich-info-too-large` beyond `setRichInfoLimit` characters in all that is kept
 */
export function normalizeRichInfo({ version, fields }: RichInfo, { setRichInfoLimit }: Settings): RichInfo {
  const seen = new Set<string>();
  const kept = fields.filter(({ type, value }) => {
    const name = type.toLowerCase();
    if (value === "" || seen.has(name)) return false;
    seen.add(name);
    return true;
  });
  const characters = kept.reduce((sum, { type, value }) => sum + lengthOf(type) + lengthOf(value), 0);
  if (characters > setRichInfoLimit) throw new ApiError("rich-info-too-large");
  return { version, fields: kept };
}

const lengthOf = (text: string) => [...text].length;
