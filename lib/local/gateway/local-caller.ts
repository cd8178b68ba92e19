import type { IncomingHttpHeaders } from "node:http";

/** Another site can point its host name at this machine (DNS rebinding), but its pages still send that name. */
const localHost = /^(localhost|127\.0\.0\.1)(:\d+)?$/i;

/** Whether the request names this machine as its host. */
export const isLocalHost = ({ host = "" }: IncomingHttpHeaders): boolean => localHost.test(host);

/** Whether a program on this machine sent the request, and not a page in a browser: those name their origin or site. */
export const isLocalProgram = (headers: IncomingHttpHeaders): boolean =>
  isLocalHost(headers) && headers.origin === undefined && headers["sec-fetch-site"] === undefined;
