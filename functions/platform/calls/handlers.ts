import { userHasFeature } from "#shared/accounts/features-of-user.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { type CallCredentials, sftCredentials } from "./call-credentials.ts";
import type { Deps } from "./deps.ts";
import { iceServersFor } from "./ice-servers.ts";
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
