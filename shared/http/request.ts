import type { APIGatewayProxyEventV2, APIGatewayProxyEventV2WithIAMAuthorizer } from "aws-lambda";

export type HttpEvent = APIGatewayProxyEventV2;

/** Only the internal API has an authorizer (IAM), so nothing that a client sends can look like this. */
export const isInternalRequest = (event: HttpEvent): boolean =>
  (event as Partial<APIGatewayProxyEventV2WithIAMAuthorizer>).requestContext?.authorizer?.iam !== undefined;

/** Values of all cookies of a name, in the order of the request. */
export function cookieValues(event: HttpEvent, name: string): string[] {
  const pairs = [...(event.cookies ?? []), ...(event.headers.cookie?.split(";") ?? [])];
  return pairs
    .map((pair) => pair.trim())
    .flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []));
}

/** Access token of a request: of the header, or of the query (discouraged, interface section 5.1). */
export const bearerToken = (event: HttpEvent): string | undefined =>
  bearerIn(event.headers.authorization) ?? queryOf(event).get("access_token") ?? undefined;

/** Token of an `Authorization` header. */
export const bearerIn = (authorization: string | undefined): string | undefined =>
  /^bearer +(\S+)$/i.exec(authorization?.trim() ?? "")?.[1];

export const queryOf = (event: HttpEvent): URLSearchParams => new URLSearchParams(event.rawQueryString);
