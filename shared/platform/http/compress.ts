import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { HttpResult } from "./render.ts";

const gzipAsync = promisify(gzip);

/** `gzip` in `Accept-Encoding`, unless with the weight 0 (RFC 9110 §12.5.3). */
const namesGzip = /(?:^|,)\s*gzip\s*(?:;\s*q=(?:1|0\.\d*[1-9])[^,]*)?(?:,|$)/i;

/** Compress the text of a response for a caller that accepts gzip. */
export async function compressFor(
  acceptEncoding: string | undefined,
  result: HttpResult,
): Promise<HttpResult> {
  const headers = { ...result.headers, vary: "accept-encoding" };
  if (!namesGzip.test(acceptEncoding ?? "") || !result.body || result.isBase64Encoded)
    return { ...result, headers };
  const compressed = await gzipAsync(result.body);
  return {
    ...result,
    headers: { ...headers, "content-encoding": "gzip" },
    body: compressed.toString("base64"),
    isBase64Encoded: true,
  };
}
