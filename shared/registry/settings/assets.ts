import * as z from "zod";
import { dailyBudget, seconds } from "./types.ts";

/**
 * The largest file that reaches a function in one request: Lambda takes 6 MiB of JSON, with the body in base64, up to
 * 40 KiB of headers and the rest of the request.
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
   * Bytes of assets that a user may upload per day (UTC), plus 1,024 for each asset; null for no limit. Uploads that fail
   * may count, too.
   */
  setDailyUploadBudget: z
    .strictObject({
      perUser: dailyBudget.default(2 * 1024 ** 3),
      perAnonymousUser: dailyBudget.default(100 * 1024 ** 2),
    })
    .prefault({}),
  /** How long the address of a download is valid, in seconds. */
  downloadLinkTTL: seconds.min(1).max(86_400).default(300),
};
