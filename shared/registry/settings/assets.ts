import * as z from "zod";
import { dailyBudget, seconds } from "./types.ts";

/**
 * The most that reaches a function in one request: Lambda takes 6 MiB of JSON, in which the body is base64, beside up to
 * 40 KiB of headers and whatever else describes the request.
 */
const maxAssetBytes = 4_600_000;
const assetBytes = z
  .int()
  .min(1)
  .max(maxAssetBytes, `at most ${maxAssetBytes}: more does not reach a function`);

/** Settings of assets. */
export const assetSettings = {
  /** Bytes of one asset. */
  maxTotalBytes: assetBytes.default(maxAssetBytes),
  /** Bytes of one asset of a user without a team; absent: `maxTotalBytes`. */
  maxTotalBytesStrict: assetBytes.optional(),
  /**
   * Bytes of assets that a user may upload in a day (UTC), each asset counting 1,024 more; null for no limit. What failed
   * counts, too.
   */
  setDailyUploadBudget: z
    .strictObject({
      perUser: dailyBudget.default(2 * 1024 ** 3),
      perAnonymousUser: dailyBudget.default(100 * 1024 ** 2),
    })
    .prefault({}),
  /** How long the address that a download redirects to is valid, in seconds. */
  downloadLinkTTL: seconds.min(1).max(86_400).default(300),
};
