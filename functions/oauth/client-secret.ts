import { createHash, randomBytes } from "node:crypto";
import { isSameSecret } from "#shared/auth/is-same-secret.ts";
import type { OAuthClient } from "#shared/data/oauth/oauth-client.ts";

export const newSecret = () => randomBytes(32).toString("hex");

export const hashSecret = (secret: string) => createHash("sha256").update(secret).digest("hex");

/** Whether a text is one of an app's secrets that are still valid; every comparison takes the same time. */
export function hasSecret({ secrets }: OAuthClient, candidate: string, now: number): boolean {
  const hash = hashSecret(candidate);
  return secrets
    .filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now)
    .map((secret) => isSameSecret(secret.hash, hash))
    .includes(true);
}
