import type { APIGatewayProxyEventV2, APIGatewayProxyEventV2WithIAMAuthorizer } from "aws-lambda";

/** A request as the gateways pass it to a function. */
export interface HttpEvent extends APIGatewayProxyEventV2 {
  /** The body while it arrives; only outside of Lambda. */
  readonly stream?: AsyncIterable<Uint8Array>;
}

/** Whether a request came through the internal API: only that has an IAM authorizer, so no client can imitate it. */
export const isInternalRequest = (event: HttpEvent): boolean =>
  (event as Partial<APIGatewayProxyEventV2WithIAMAuthorizer>).requestContext?.authorizer?.iam !== undefined;

/** The principal that called the internal API; undefined for a request to the public one. */
export const callerOf = (event: HttpEvent): string | undefined =>
  (event as Partial<APIGatewayProxyEventV2WithIAMAuthorizer>).requestContext?.authorizer?.iam?.userArn;

/**
 * Values of all cookies with a name, in the order of the request, without the quotes in which some clients send them (RFC
 * 6265 §4.1.1).
 */
export function cookieValues(event: HttpEvent, name: string): string[] {
  const pairs = [...(event.cookies ?? []), ...(event.headers.cookie?.split(";") ?? [])];
  return pairs
    .map((pair) => pair.trim())
    .flatMap((pair) =>
      pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1).replace(/^"(.*)"$/, "$1")] : [],
    );
}

/** Access token of a request: from the header, otherwise from the query, which is discouraged. */
export const bearerToken = (event: HttpEvent): string | undefined =>
  bearerIn(event.headers.authorization) ?? queryOf(event).get("access_token") ?? undefined;

/** Token of an `Authorization` header. */
export const bearerIn = (authorization: string | undefined): string | undefined =>
  /^bearer +(\S+)$/i.exec(authorization?.trim() ?? "")?.[1];

/** Credentials by HTTP Basic. */
export interface BasicCredentials {
  readonly name: string;
  readonly password: string;
}

/**
 * Credentials in the header `Authorization: Basic`, each encoded like a form field before (RFC 6749 §2.3.1). Undefined
 * without such a header; a malformed one counts as empty credentials.
 */
export function basicCredentials({ headers }: HttpEvent): BasicCredentials | undefined {
  const encoded = /^basic(?: +(.*))?$/i.exec(headers.authorization?.trim() ?? "");
  if (encoded === null) return undefined;
  const [, name = "", password = ""] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded[1] ?? "", "base64").toString("utf8")) ?? [];
  try {
    return { name: decodeFormField(name), password: decodeFormField(password) };
  } catch {
    return { name: "", password: "" };
  }
}

const decodeFormField = (text: string) => decodeURIComponent(text.replaceAll("+", " "));

/** Query parameters of a request. */
export const queryOf = (event: HttpEvent): URLSearchParams => new URLSearchParams(event.rawQueryString);

/** Names of the query parameters that a request has more than once. */
export function repeatedParameters(event: HttpEvent): readonly string[] {
  const names = [...queryOf(event).keys()];
  return names.filter((name, index) => names.indexOf(name) !== index);
}
