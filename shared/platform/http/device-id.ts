import * as z from "zod";

/**
 * Convert a device id to its canonical form, used in answers, events, tokens and tables: lower-case hex without leading
 * zeros, like a 64-bit number. Anything else is returned as it is, and answered like an unknown id.
 */
export const canonicalDeviceId = (text: string): string =>
  /^0*([1-9a-f][0-9a-f]{0,15}|0)$/i.exec(text)?.[1]?.toLowerCase() ?? text;

/** Id of a device in a request: in upper or lower case, padded with any number of zeros. */
export const deviceId = z.string().min(1).max(64).overwrite(canonicalDeviceId);
