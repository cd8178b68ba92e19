import * as z from "zod";
import { countCharacters } from "#shared/platform/count-characters.ts";
import { storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { foldCase } from "#shared/platform/fold-case.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";

/** Data that a team keeps about a member in addition to the profile: fields in display order. */
export const richInfo = z.object({
  version: z.int().meta({ description: "0 if nothing was ever stored" }),
  fields: z
    .array(z.object({ type: z.string().meta({ description: "Name of the field" }), value: z.string() }))
    .meta({ description: "In display order" }),
});
export type RichInfo = z.infer<typeof richInfo>;

export const richInfoItem = storedItem(
  {
    table: "accounts",
    kind: "rich-info",
    key: ["user#*", "rich-info"],
    subject: { user: "partition", toTeam: ["version", "fields"] },
  },
  storedObject({
    version: z.int(),
    fields: z.array(storedObject({ type: z.string(), value: z.string() })),
  }),
);

/**
 * Drops empty values, and all but the first of fields whose names differ at most in case.
 *
 * @throws ApiError `rich-info-too-large` when the rest exceeds `setRichInfoLimit` characters
 */
export function normalizeRichInfo({ version, fields }: RichInfo, { setRichInfoLimit }: Settings): RichInfo {
  const seen = new Set<string>();
  const kept = fields.filter(({ type, value }) => {
    const name = foldCase(type);
    if (value === "" || seen.has(name)) return false;
    seen.add(name);
    return true;
  });
  const characters = kept.reduce(
    (sum, { type, value }) => sum + countCharacters(type) + countCharacters(value),
    0,
  );
  if (characters > setRichInfoLimit) throw new ApiError("rich-info-too-large");
  return { version, fields: kept };
}
