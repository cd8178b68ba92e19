import * as z from "zod";

/**
 * The one way in which answers, events, tokens and tables write the id of a device: lower-case hex without leading
 * zeros, as a client would that keeps it as a number of 64 bits. Anything that cannot be such a number is returned as it
 * is, and answered like an unknown id.
 */
export const canonicalDeviceId = (text: string): string =>
  /^0*([1-9a-f][0-9a-f]{0,15}|0)$/i.exec(text)?.[1]?.toLowerCase() ?? text;

/** Id of a device in a request: in any case, and padded with any number of zeros. */
export const deviceId = z.string().min(1).max(64).overwrite(canonicalDeviceId);
