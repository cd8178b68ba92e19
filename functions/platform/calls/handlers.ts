import { createHash, createHmac } from "node:crypto";
import { userHasFeature } from "#shared/accounts/features-of-user.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const ttl = deps.settings.turn.configTTL;
  return {
    "get-calls-config-v2": async ({ actor, query }) => {
      const [iceServers, { chosen, all }] = await Promise.all([
        iceServersFor(deps, actor.userId, { limit: query.limit }),
        sftServersFor(deps, actor.userId),
      ]);
      return {
        body: {
          ice_servers: iceServers,
          ttl,
          sft_servers: chosen,
          sft_servers_all: all,
          is_federating: false,
        },
      };
    },

    "get-calls-config": async ({ actor }) => ({
      body: { ice_servers: await iceServersFor(deps, actor.userId, { isLegacy: true }), ttl },
    }),
  };
}

/** A server for conferences; with credentials if it requires them. */
interface SftServer extends Partial<CallCredentials> {
  readonly urls: string[];
}

/**
 * Find servers for conferences: those to use, and all that exist. Either is undefined when it is not set up, or when no
 * server was found; only users with the feature `conferenceCalling` get all.
 * @see operation `get-calls-config-v2`
 */
async function sftServersFor(
  deps: Deps,
  userId: string,
): Promise<{ chosen: SftServer[] | undefined; all: SftServer[] | undefined }> {
  const { clock, secrets, settings, sftDirectory } = deps;
  const { setSftStaticUrl, setSftListAllServers, sftToken } = settings;
  const fixed = setSftStaticUrl === undefined ? [] : [setSftStaticUrl];
  const listsAll = setSftListAllServers === "enabled";
  const [discovered, mayConfer] = await Promise.all([
    // Callers wait for the DNS only if its servers are listed.
    fixed.length === 0 || listsAll ? sftDirectory.urls() : [],
    (listsAll || sftToken !== undefined) && hasConferenceCalling(deps, userId),
  ]);
  const credentials = sftToken && (await credentialsFor(sftToken.ttl));
  const toServers = (urls: readonly string[]) => urls.map((url) => ({ urls: [url], ...credentials }));
  const chosen = toServers(fixed.length > 0 ? fixed : discovered);
  return {
    chosen: chosen.length > 0 ? chosen : undefined,
    all: listsAll && mayConfer ? toServers([...new Set([...fixed, ...discovered])]) : undefined,
  };

  async function credentialsFor(lifetimeSeconds: number): Promise<CallCredentials> {
    const secret = await secrets.text("sft-secret");
    return sftCredentials(secret, userId, { expiresAt: toSeconds(clock()) + lifetimeSeconds, mayConfer });
  }
}

async function hasConferenceCalling(deps: Deps, userId: string): Promise<boolean> {
  const account = await deps.accounts.get(userId);
  return account !== undefined && userHasFeature(deps, "conferenceCalling", account);
}

interface IceServer {
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

/** Credentials that a TURN or SFT server checks with the secret that it shares with us. */
interface CallCredentials {
  readonly username: string;
  readonly credential: string;
}

/** Credentials for TURN servers, valid until `expiresAt` in unix seconds. */
export const turnCredentials = (secret: string, userId: string, expiresAt: number) =>
  sign(secret, `d=${expiresAt}.v=1.k=0.t=s.r=${userSuffix(userId)}`);

/** Credentials for SFT servers, which read from them whether the user may hold conferences. */
export const sftCredentials = (
  secret: string,
  userId: string,
  { expiresAt, mayConfer }: { expiresAt: number; mayConfer: boolean },
) => sign(secret, `d=${expiresAt}.v=1.k=0.s=${mayConfer ? 1 : 0}.r=${userSuffix(userId)}`);

const sign = (secret: string, username: string): CallCredentials => ({
  username,
  credential: createHmac("sha512", secret).update(username).digest("base64"),
});

const suffixBytes = 16;

/** Pseudonym of a user, stable and not traceable to the id: the start of a hash, written in letters (base 26). */
export function userSuffix(userId: string): string {
  const digest = createHash("sha256").update(userId.replaceAll("-", ""), "hex").digest("hex");
  let rest = BigInt(`0x${digest.slice(0, 2 * suffixBytes)}`);
  let letters = "";
  do {
    letters = String.fromCharCode(97 + Number(rest % 26n)) + letters;
    rest /= 26n;
  } while (rest > 0n);
  return letters;
}
