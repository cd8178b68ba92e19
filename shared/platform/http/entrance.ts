import { isSameSecret } from "../secrets/is-same-secret.ts";
import { ApiError } from "./api-error.ts";
import { type HttpEvent, isInternalRequest } from "./request.ts";

/**
 * Headers that the entrance sets. The entrance is the distribution in front of the public API and the sockets, or the
 * local gateway. The secret proves that the other headers come from there, and that the request did not bypass it.
 */
export const entranceHeaders = {
  secret: "x-entrance-secret",
  /** The path as sent, if it has percent-encoded characters, which HTTP APIs decode and partly lose. */
  path: "x-entrance-path",
  /** Address of the client; API Gateway sees only that of the entrance. */
  viewer: "x-entrance-viewer",
  /** The host that the client requested; API Gateway sees only its own. */
  host: "x-entrance-host",
} as const;

/** Path and origin of a request, however it arrived. */
export interface Arrival {
  /** Percent-encoded, except what needs no encoding. */
  readonly path: string;
  readonly sourceIp: string;
  /** The requested host, in lower case and without port. Clients cannot invent one that does not lead here. */
  readonly host: string;
}

/**
 * Reads path and origin of a request.
 *
 * @param secret that of the entrance; undefined without an entrance, when anybody could have set its headers
 * @throws ApiError `forbidden` for a public request that bypassed the entrance
 */
export function readArrival(event: HttpEvent, secret: string | undefined): Arrival {
  const { headers, rawPath, requestContext } = event;
  const isInternal = isInternalRequest(event);
  const direct = {
    path: encodePath(rawPath),
    sourceIp: requestContext.http.sourceIp,
    host: toHostName((isInternal ? headers["z-host"] : undefined) ?? requestContext.domainName),
  };
  if (secret === undefined || isInternal) return direct;
  checkEntrance(headers[entranceHeaders.secret], secret);
  return {
    path: withoutNeedlessCodes(headers[entranceHeaders.path] ?? direct.path),
    sourceIp: headers[entranceHeaders.viewer] ?? direct.sourceIp,
    host: toHostName(headers[entranceHeaders.host] ?? direct.host),
  };
}

/**
 * Refuses requests that bypassed the entrance.
 * @throws ApiError `forbidden` unless the header has the secret of the entrance, or there is no entrance
 */
export function checkEntrance(header: string | undefined, secret: string | undefined): void {
  if (secret !== undefined && !isSameSecret(header ?? "", secret)) {
    throw new ApiError("forbidden", { message: "This address is not for clients" });
  }
}

const toHostName = (host = ""): string => host.toLowerCase().replace(/:\d+$/, "");

/**
 * Percent-encoded characters that need no encoding; decoding them does not change a path (RFC 3986 §6.2.2.2). Dots stay
 * encoded, because two of them would lead elsewhere.
 */
export const needlessCode = /%(?:2d|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi;

export const withoutNeedlessCodes = (path: string): string =>
  path.replaceAll(needlessCode, (code) => decodeURIComponent(code));

/** Undoes the decoding of an HTTP API as far as possible. */
const encodePath = (path: string): string => path.toWellFormed().split("/").map(encodeURIComponent).join("/");
