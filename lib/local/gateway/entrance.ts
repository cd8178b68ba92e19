import { entranceHeaders, withoutNeedlessCodes } from "#shared/platform/http/entrance.ts";
import type { RequestHead } from "./request-head.ts";

/** Headers that no client may set: the entrance replaces them. */
const ownHeaders = new Set<string>(Object.values(entranceHeaders));

export const isEntranceHeader = (name: string): boolean => ownHeaders.has(name.toLowerCase());

/**
 * The path that the entrance requests, and the headers that it adds, as by the CloudFront functions of a distribution.
 */
export function enter(
  request: Pick<RequestHead, "headers" | "socket">,
  path: string,
  secret: string,
): { path: string; headers: Record<string, string> } {
  const needed = withoutNeedlessCodes(path);
  return {
    path: needed.replaceAll("%", "_"),
    headers: {
      [entranceHeaders.secret]: secret,
      [entranceHeaders.viewer]: request.socket.remoteAddress ?? "127.0.0.1",
      [entranceHeaders.host]: request.headers.host ?? "",
      ...(needed.includes("%") && { [entranceHeaders.path]: needed }),
    },
  };
}
