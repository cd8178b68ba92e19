import type { APIGatewayProxyEventV2, APIGatewayProxyEventV2WithIAMAuthorizer } from "aws-lambda";

/** A request as the gateways pass it to a function. */
export type HttpEvent = APIGatewayProxyEventV2;

/** Whether a request came through the internal API: only that has an IAM authorizer, so no client can imitate it. */
export const isInternalRequest = (event: HttpEvent): boolean =>
  (event as Partial<APIGatewayProxyEventV2WithIAMAuthorizer>).requestContext?.authorizer?.iam !== undefined;

/** Values of all cookies with a name, in the order of the request. */
export function cookieValues(event: HttpEvent, name: string): string[] {
  const pairs = [...(event.cookies ?? []), ...(event.headers.cookie?.split(";") ?? [])];
  return pairs
    .map((pair) => pair.trim())
    .flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []));
}

/** Access token of a request: from the header, otherwise from the query (discouraged, interface section 5.1). */
export const bearerToken = (event: HttpEvent): string | undefined =>
  bearerIn(event.headers.authorization) ?? queryOf(event).get("access_token") ?? undefined;

/** Token of an `Authorization` header. */
export const bearerIn = (authorization: string | undefined): string | undefined =>
  /^bearer +(\S+)$/i.exec(authorization?.trim() ?? "")?.[1];

/** Query parameters of a request. */
export const queryOf = (event: HttpEvent): URLSearchParams => new URLSearchParams(event.rawQueryString);
