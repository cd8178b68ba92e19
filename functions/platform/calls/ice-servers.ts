import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { turnCredentials } from "./call-credentials.ts";
import type { Deps } from "./deps.ts";

export interface IceServer {
  readonly urls: string[];
  readonly username: string;
  readonly credential: string;
}

/**
 * List TURN servers in random order, so that they share the load; with a limit, the transports take turns.
 *
 * @param options.isLegacy for clients that know only UDP, and expect no transport in the URL
 * @throws ApiError `no-call-servers`
 * @see operations `get-calls-config-v2`, `get-calls-config`
 */
export async function iceServersFor(
  { clock, secrets, settings }: Pick<Deps, "clock" | "settings"> & { secrets: Pick<SecretReader, "text"> },
  userId: string,
  { limit, isLegacy = false }: { limit?: number; isLegacy?: boolean },
): Promise<IceServer[]> {
  const { servers, tokenTTL } = settings.turn;
  const mixed = shuffled(isLegacy ? servers.filter(isUdp).map(withoutTransport) : servers);
  const chosen = limit === undefined ? mixed : byTransport(mixed).slice(0, limit);
  if (chosen.length === 0) throw new ApiError("no-call-servers");
  const secret = await secrets.text("turn-secret");
  const credentials = turnCredentials(secret, userId, toSeconds(clock()) + tokenTTL);
  return chosen.map((url) => ({ urls: [url], ...credentials }));
}

const withoutTransport = (url: string) => url.replace(/\?.*$/, "");

/** Copy in random order (Fisher–Yates shuffle). */
export function shuffled<Item>(items: readonly Item[]): Item[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [result[last], result[other]] = [result[other] as Item, result[last] as Item];
  }
  return result;
}

const isTls = (url: string) => url.startsWith("turns:");
const isTcp = (url: string) => !isTls(url) && url.endsWith("?transport=tcp");
/** True also for a URL without a transport (RFC 7065 §3.1). */
export const isUdp = (url: string) => !isTls(url) && !isTcp(url);

/** Interleave the transports: the first UDP, TLS and TCP server, then the second of each, and so on. */
export function byTransport(urls: readonly string[]): string[] {
  const kinds = [isUdp, isTls, isTcp].map((isKind) => urls.filter(isKind));
  return urls.flatMap((_, round) => kinds.flatMap((kind) => kind.slice(round, round + 1)));
}
