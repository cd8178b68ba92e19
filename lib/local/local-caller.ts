import type { IncomingHttpHeaders } from "node:http";

/** A page of another site can give its name this machine's address (DNS rebinding), but not the name of this one. */
const localHost = /^(localhost|127\.0\.0\.1)(:\d+)?$/i;

export const isLocalHost = ({ host = "" }: IncomingHttpHeaders): boolean => localHost.test(host);

/** A program on this machine, no page in a browser: those name their origin when they send something. */
export const isLocalProgram = (headers: IncomingHttpHeaders): boolean =>
  isLocalHost(headers) && headers.origin === undefined && headers["sec-fetch-site"] === undefined;
