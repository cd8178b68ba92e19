import { createHash, randomBytes } from "node:crypto";
import { isSameSecret } from "#shared/auth/is-same-secret.ts";
import type { OAuthClient } from "#shared/data/oauth/oauth-client.ts";
import { ApiError } from "#shared/errors.ts";
import { badRequest } from "./token-request.ts";

/** Last version in which an app has to send its secret to refresh or revoke. */
const lastVersionWithSecret = 4;

export const newSecret = () => randomBytes(32).toString("hex");

export const hashSecret = (secret: string) => createHash("sha256").update(secret).digest("hex");

/** Later versions have public apps, too, which hold no secret. @throws ApiError `bad-request` */
export function requireSecret(secret: string | undefined, version: number): void {
  if (secret === undefined && version <= lastVersionWithSecret)
    throw badRequest("client_secret: required in this version");
}

/** A secret that is sent has to be right. @throws ApiError `forbidden` */
export function checkSecret(client: OAuthClient, secret: string | undefined, now: number): void {
  if (secret !== undefined && !hasSecret(client, secret, now)) throw new ApiError("forbidden");
}

/** Whether a text is one of an app's secrets that are still valid; every comparison takes the same time. */
function hasSecret({ secrets }: OAuthClient, candidate: string, now: number): boolean {
  const hash = hashSecret(candidate);
  return secrets
    .filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now)
    .map((secret) => isSameSecret(secret.hash, hash))
    .includes(true);
}
