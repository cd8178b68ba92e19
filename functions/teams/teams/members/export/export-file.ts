import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import Negotiator from "negotiator";
import { maxAnswerBytes, textBytes } from "#shared/platform/http/answer-size.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";

/** Whether a client accepts a body compressed with gzip; a client that does not say so may be unable to. */
export const acceptsGzip = (acceptEncoding: string | undefined): boolean =>
  acceptEncoding !== undefined &&
  new Negotiator({ headers: { "accept-encoding": acceptEncoding } }).encoding(["gzip", "identity"]) ===
    "gzip";

/**
 * Join lines, uncompressed.
 * @throws ApiError `export-too-large` at the first line that no longer fits into one answer
 */
export async function joined(lines: AsyncIterable<string>): Promise<string> {
  const texts: string[] = [];
  let bytes = 0;
  for await (const line of lines) {
    bytes += textBytes(line);
    if (bytes > maxAnswerBytes) throw new ApiError("export-too-large");
    texts.push(line);
  }
  return texts.join("");
}

/** Functions return bytes as base64, which takes more room. */
const maxBytes = Math.floor((maxAnswerBytes * 3) / 4);

/**
 * Compress lines, outside the event loop.
 * @throws ApiError `export-too-large` as soon as the result no longer fits into one answer
 */
export async function gzipped(lines: AsyncIterable<string>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  await pipeline(Readable.from(lines), createGzip(), async (compressed: AsyncIterable<Buffer>) => {
    for await (const part of compressed) {
      bytes += part.length;
      if (bytes > maxBytes) throw new ApiError("export-too-large");
      parts.push(part);
    }
  });
  return Buffer.concat(parts);
}
