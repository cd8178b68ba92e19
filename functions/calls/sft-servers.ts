import { toSeconds } from "#shared/clock.ts";
import { type CallCredentials, sftCredentials } from "./call-credentials.ts";
import type { Deps } from "./deps.ts";

/** A server for conferences; the credentials are there when it asks for some. */
export interface SftServer extends Partial<CallCredentials> {
  readonly urls: string[];
}

/** By default everybody may hold conferences, and nothing changes that yet. */
const mayConfer = true;

/**
 * Servers for conferences: those to use, and all that exist. Undefined what is not set up, or not found.
 * @see operation `get-calls-config-v2`
 */
export async function sftServersFor(
  { clock, secrets, settings, sftDirectory }: Deps,
  userId: string,
): Promise<{ chosen: SftServer[] | undefined; all: SftServer[] | undefined }> {
  const { setSftStaticUrl, setSftListAllServers, sftToken } = settings;
  const fixed = setSftStaticUrl === undefined ? [] : [setSftStaticUrl];
  const listsAll = setSftListAllServers === "enabled";
  // Nobody waits for the DNS for the sake of what is not listed.
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
