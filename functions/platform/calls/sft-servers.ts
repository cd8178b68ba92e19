import { userHasFeature } from "#shared/accounts/features-of-user.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { type CallCredentials, sftCredentials } from "./call-credentials.ts";
import type { Deps } from "./deps.ts";

/** A server for conferences; with credentials if it requires them. */
export interface SftServer extends Partial<CallCredentials> {
  readonly urls: string[];
}

/**
 * Find servers for conferences: those to use, and all that exist. Either is undefined when it is not set up, or when no
 * server was found; only users with the feature `conferenceCalling` get all.
 * @see operation `get-calls-config-v2`
 */
export async function sftServersFor(
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
