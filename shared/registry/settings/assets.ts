import * as z from "zod";
import { dailyBudget, seconds } from "./types.ts";

/**
 * The largest file that reaches a function in one request: Lambda takes 6 MiB of JSON, with the body in base64, up to
 * 40 KiB of headers and the rest of the request.
 */
export const functionAssetBytes = 4_600_000;

/** The limits of existing servers: 100 and 25 MiB, plus the bytes that encrypting a file adds. */
const cipherBytes = 32;
const teamBytes = 100 * 1024 ** 2 + cipherBytes;
const personalBytes = 25 * 1024 ** 2 + cipherBytes;

/** A client with 150 KB/s sends as much within the time that an upload may take. */
const assetBytes = z
  .int()
  .min(1)
  .max(1024 ** 3);

/** Settings of assets. */
export const assetSettings = {
  /** Bytes of a file. A stage whose uploads reach functions takes no more than they do, by default as well. */
  maxTotalBytes: assetBytes.default(teamBytes),
  /** The same for users without a team. */
  maxTotalBytesStrict: assetBytes.default(personalBytes),
  /** The same limits for files that clients send to signed addresses (`POST /assets/uploads`), on any stage. */
  signedUploads: z
    .strictObject({
      maxTotalBytes: assetBytes.default(teamBytes),
      maxTotalBytesStrict: assetBytes.default(personalBytes),
    })
    .prefault({}),
  /**
   * Bytes that a user may upload a day (UTC). 1,024 are added for each asset. Null: no limit. Uploads that fail may count,
   * too.
   */
  setDailyUploadBudget: z
    .strictObject({
      perUser: dailyBudget.default(2 * 1024 ** 3),
      perAnonymousUser: dailyBudget.default(100 * 1024 ** 2),
    })
    .prefault({}),
  /** How long the address of a download is valid. */
  downloadLinkTTL: seconds.min(1).max(86_400).default(300),
};
