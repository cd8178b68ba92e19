import type { Exchange } from "../../gateway/request-log.ts";

/** The error that an app gets for a refused OAuth request, in the answer or the redirect (RFC 6749 §4.1.2.1, §5.2). */
export function oauthErrorOf(
  exchange: Exchange | undefined,
): { readonly error: string; readonly reason: string } | undefined {
  const { body, location = "" } = exchange?.reply ?? {};
  const query = URL.parse(location)?.searchParams;
  return (
    readError({ error: query?.get("error"), error_description: query?.get("error_description") }) ??
    readError(parse(body?.content))
  );
}

function readError(fields: object) {
  const { error, error_description: reason } = fields as Readonly<Record<string, unknown>>;
  return typeof error === "string" && typeof reason === "string" ? { error, reason } : undefined;
}

function parse(content: Buffer | undefined): object {
  try {
    return Object(JSON.parse(String(content ?? "null")));
  } catch {
    return {};
  }
}
