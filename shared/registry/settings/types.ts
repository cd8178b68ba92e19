import * as z from "zod";
import { readLocale } from "#shared/platform/locale.ts";

/** Types that settings of several domains share. Durations are in seconds unless they name another unit. */

export const seconds = z.int().min(0);
export const locale = z
  .string()
  .refine((text) => readLocale(text) !== undefined, "a language such as en or de-CH");
/** Budget per day (UTC); null for no limit. */
export const dailyBudget = z.int().min(0).nullable();
export const tokenBucket = z.strictObject({
  /** Uses allowed without delay. */
  burst: z.int().min(1),
  /** Seconds until the bucket regains one use; 0 turns the limit off. */
  refillSeconds: seconds,
});
