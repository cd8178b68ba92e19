/** A path as an HTTP API uses it. */
export interface RequestPath {
  /** Path with which its routes are compared. */
  readonly routed: string;
  /** Path in the event of functions, from which parameters are taken. */
  readonly raw: string;
}

/**
 * Decode a path as an HTTP API does (captured on AWS): it decodes the path, reads the result as a URL once more, where
 * a `?` ends the path, compares that with its routes, and decodes it again for the function. So `%2F` separates
 * segments, `%3F` and everything after it is lost, `%252F` becomes a slash, and `%25` is refused unless the decoded
 * percent sign begins another code.
 *
 * @returns undefined for a path that AWS refuses
 */
export function readRequestPath(sent: string): RequestPath | undefined {
  const routed = decodePercent(sent)?.split("?", 1)[0];
  const raw = routed && decodePercent(routed);
  return routed === undefined || raw === undefined ? undefined : { routed, raw };
}

/** @returns undefined for a percent sign without a code */
export function decodePercent(text: string): string | undefined {
  if (/%(?![0-9a-f]{2})/i.test(text)) return undefined;
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (codes) =>
    Buffer.from(codes.replaceAll("%", ""), "hex").toString(),
  );
}
