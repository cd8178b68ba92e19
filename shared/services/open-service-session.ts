import { PinnedSession, type SessionOptions } from "#shared/platform/outbound/pinned-session.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Service } from "./service.ts";

/**
 * Begin calls to a service, which strangers operate: it must prove one of its keys, and recognises this backend by the
 * first of its tokens.
 */
export const openServiceSession = (
  { baseUrl, keys, authTokens: [authToken] }: Pick<Service, "baseUrl" | "keys" | "authTokens">,
  { services: { allowsPrivateAddresses } }: Pick<Settings, "services">,
  options: Omit<SessionOptions, "allowsPrivateAddresses" | "headers">,
): PinnedSession =>
  new PinnedSession(
    { baseUrl, fingerprints: keys.map(({ fingerprint }) => fingerprint) },
    { ...options, allowsPrivateAddresses, headers: { authorization: `Bearer ${authToken}` } },
  );
