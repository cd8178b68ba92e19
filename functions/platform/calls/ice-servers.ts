import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { turnCredentials } from "./call-credentials.ts";
import { byTransport, isUdp, shuffled } from "./choose-servers.ts";
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
