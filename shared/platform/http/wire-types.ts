import * as z from "zod";

/** Types that the schemas of many families use, as in the published interface. */

export const uuid = z.uuid().toLowerCase();
export const userId = uuid.meta({ description: "Id of a user" });
export const domain = z
  .string()
  .meta({ description: "Domain that the id belongs to; only that of this service is supported" });
export const qualifiedId = z
  .object({ domain, id: userId })
  .meta({ id: "QualifiedUserId", description: "A user and the domain of the id" });
export const utcTime = z.iso.datetime({ precision: 3 }).meta({ description: "With milliseconds" });
/** Published schema `UTCTime`: without a fraction. */
export const utcSecond = z.iso.datetime({ precision: 0 }).meta({ description: "In whole seconds" });
/** Formats unix milliseconds as `utcSecond`. */
export const toUtcSecond = (milliseconds: number) =>
  new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/, "Z");

/** A time in a query, where the unencoded plus of an offset arrives as a space. */
export const queryInstant = z
  .string()
  .overwrite((text) => text.replace(/ (?=\d\d:\d\d$)/, "+"))
  .check(z.iso.datetime({ offset: true }));

export const httpsUrl = z
  .url({ protocol: /^https$/ })
  .max(2000)
  .meta({ examples: ["https://backend.example.com"] });

/** An object with unspecified fields. */
export const anyObject = z.record(z.string(), z.unknown()).meta({ id: "AnyObject" });

/** Fields of a page of a list. */
export const hasMore = z.boolean().meta({ description: "Whether another page follows" });
export const nextCursor = z.string().meta({ description: "Opaque: where the next page starts" });

/** Empty body of the published interface. */
export const emptyList = z.array(z.never()).max(0);

/**
 * `true` or `false` in a query, shown as a boolean in the API document. The other spellings come from languages that
 * write booleans differently, or as numbers.
 */
export const queryFlag = z
  .enum(["true", "false", "True", "False", "TRUE", "FALSE", "1", "0"])
  .transform((text) => text === "1" || text.toLowerCase() === "true")
  .meta({ type: "boolean" });

/** Values in a query, separated by commas: at least one. */
export const commaSeparated = <Item extends z.ZodType<unknown, string>>(item: Item, max: number) =>
  z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(item).min(1).max(max));
