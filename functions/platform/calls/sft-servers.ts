import { toSeconds } from "#shared/platform/clock.ts";
import { type CallCredentials, sftCredentials } from "./call-credentials.ts";
import type { Deps } from "./deps.ts";

/** A server for conferences; with credentials if it requires them. */
export interface SftServer extends Partial<CallCredentials> {
  readonly urls: string[];
}

/** Everybody may hold conferences; there is no setting to change that yet. */
const mayConfer = true;

/**
 * Find servers for conferences: those to use, and all that exist. Either is undefined when it is not set up, or when no
 * server was found.
 * @see operation `get-calls-config-v2`
 */
export async function sftServersFor(
  { clock, secrets, settings, sftDirectory }: Deps,
  userId: string,
): Promise<{ chosen: SftServer[] | undefined; all: SftServer[] | undefined }> {
  const { setSftStaticUrl, setSftListAllServers, sftToken } = settings;
  const fixed = setSftStaticUrl === undefined ? [] : [setSftStaticUrl];
  const listsAll = setSftListAllServers === "enabled";
  // Callers wait for the DNS only if its servers are listed.
  const discovered = fixed.length === 0 || listsAll ? await sftDirectory.urls() : [];
  const credentials = sftToken && (await credentialsFor(sftToken.ttl));
  const toServers = (urls: readonly string[]) => urls.map((url) => ({ urls: [url], ...credentials }));
  const chosen = toServers(fixed.length > 0 ? fixed : discovered);
  return {
    chosen: chosen.length > 0 ? chosen : undefined,
    all: listsAll ? toServers([...new Set([...fixed, ...discovered])]) : undefined,
  };

  async function credentialsFor(lifetimeSeconds: number): Promise<CallCredentials> {
    const secret = await secrets.text("sft-secret");
    return sftCredentials(secret, userId, { expiresAt: toSeconds(clock()) + lifetimeSeconds, mayConfer });
  }
}
