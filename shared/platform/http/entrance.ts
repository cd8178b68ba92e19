import { isSameSecret } from "../secrets/is-same-secret.ts";
import { ApiError } from "./api-error.ts";
import { type HttpEvent, isInternalRequest } from "./request.ts";

/**
 * Headers that the entrance sets: the distribution in front of the public API and the sockets, or the local gateway in
 * its place. The secret proves that the others come from there, and that no request passed it by.
 */
export const entranceHeaders = {
  secret: "x-entrance-secret",
  /** The path as it was sent, if it has percent-encoded characters: HTTP APIs decode them, and lose some. */
  path: "x-entrance-path",
  /** Address of the client; API Gateway sees that of the entrance. */
  viewer: "x-entrance-viewer",
  /** The host that the client asked; API Gateway sees its own. */
  host: "x-entrance-host",
} as const;

/** What a request says of itself, however it came. */
export interface Arrival {
  /** Percent-encoded. */
  readonly path: string;
  readonly sourceIp: string;
  /** The host that was asked, in lower case and without port. No client can make up one that does not lead here. */
  readonly host: string;
}

/**
 * Reads where a request goes and comes from.
 *
 * @param secret that of the entrance; undefined when there is none, and its headers are those of anybody
 * @throws ApiError `forbidden` for a public request that passed the entrance by
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
    path: headers[entranceHeaders.path] ?? direct.path,
    sourceIp: headers[entranceHeaders.viewer] ?? direct.sourceIp,
    host: toHostName(headers[entranceHeaders.host] ?? direct.host),
  };
}

/** @throws ApiError `forbidden` unless the header has the secret of the entrance, or there is no entrance */
export function checkEntrance(header: string | undefined, secret: string | undefined): void {
  if (secret !== undefined && !isSameSecret(header ?? "", secret)) {
    throw new ApiError("forbidden", { message: "This address is not for clients" });
  }
}

const toHostName = (host = ""): string => host.toLowerCase().replace(/:\d+$/, "");

/** Undoes the decoding of an HTTP API, as far as that is possible. */
const encodePath = (path: string): string => path.toWellFormed().split("/").map(encodeURIComponent).join("/");
