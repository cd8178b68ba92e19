import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** Another site can point its host name at this machine (DNS rebinding), but its pages still send that name. */
const localHost = /^(localhost|127\.0\.0\.1)(:\d+)?$/i;

/** Whether the request names this machine as its host. */
export const isLocalHost = ({ host = "" }: IncomingHttpHeaders): boolean => localHost.test(host);

/** Whether the host in the request is the server that received it. */
export const namesServer = ({ host }: IncomingHttpHeaders, { localAddress, localPort }: Socket): boolean =>
  host === `${localAddress}:${localPort}`;

/**
 * Whether this machine sent the request: a connection to one of the machine's own addresses comes from that address,
 * and networks drop packets that pretend to.
 */
export const isFromThisMachine = ({ localAddress, remoteAddress }: Socket): boolean =>
  localAddress !== undefined && localAddress === remoteAddress;

/**
 * Whether an origin is a site on this machine, at any port. Browsers resolve names below `localhost` to this machine
 * themselves (RFC 6761 §6.3), so no other site can have one.
 * @param host another address of this machine that counts
 */
export function isLocalOrigin(origin: string, host?: string): boolean {
  const url = URL.parse(origin);
  return (
    url !== null &&
    url.origin === origin &&
    /^https?:$/.test(url.protocol) &&
    (localName.test(url.hostname) || url.hostname === host)
  );
}

const localName = /^((.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether a program on this machine sent the request, and not a page in a browser: pages name their origin or site. */
export const isLocalProgram = (headers: IncomingHttpHeaders): boolean =>
  isLocalHost(headers) && !isFromPage(headers);

/** Paths of the document of the internal API, its page, and the page's files. */
const internalDocument = /^\/i\/(?:openapi\.json|docs(?:\/[a-z]+\.[a-z]+)?)(?:\?|$)/;

/** Whether a request only reads what a browser may show of the internal API: its documentation, but no data. */
export const readsInternalDocument = ({
  method = "",
  url = "",
  headers,
}: Pick<IncomingMessage, "method" | "url" | "headers">): boolean =>
  isLocalHost(headers) && /^(?:GET|HEAD)$/.test(method) && internalDocument.test(url);

/** Whether a page in a browser sent the request. */
export const isFromPage = (headers: IncomingHttpHeaders): boolean =>
  headers.origin !== undefined || headers["sec-fetch-site"] !== undefined;

/**
 * Whether a page of another site, or of another port of this machine, has sent a request to a page that is served here:
 * browsers then name that site and, except in links, the origin.
 */
export const isOfAnotherSite = ({
  host = "",
  origin,
  "sec-fetch-site": site = "none",
}: IncomingHttpHeaders): boolean =>
  (site !== "none" && site !== "same-origin") || (origin !== undefined && origin !== `http://${host}`);
