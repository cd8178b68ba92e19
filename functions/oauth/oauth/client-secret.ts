import { createHash, randomBytes } from "node:crypto";
import type { App } from "#shared/oauth/app.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { isSameSecret } from "#shared/platform/secrets/is-same-secret.ts";
import { badRequest } from "./token-request.ts";

/** Last version in which an app must send its secret to refresh or revoke. */
const lastVersionWithSecret = 4;

export const newSecret = () => randomBytes(32).toString("hex");

export const hashSecret = (secret: string) => createHash("sha256").update(secret).digest("hex");

/**
 * Check that a secret is sent if the version requires one; later versions also have public apps, which have none.
 * @throws ApiError `bad-request`
 */
export function requireSecret(secret: string | undefined, version: number): void {
  if (secret === undefined && version <= lastVersionWithSecret)
    throw badRequest("client_secret: required in this version");
}

/** Check the secret, if one is sent. @throws ApiError `wrong-app-secret` */
export function checkSecret(app: App, secret: string | undefined, now: number): void {
  if (secret !== undefined && !hasSecret(app, secret, now)) throw new ApiError("wrong-app-secret");
}

/** Whether the candidate is one of the app's secrets that are still valid; compares with each in constant time. */
function hasSecret({ secrets }: App, candidate: string, now: number): boolean {
  const hash = hashSecret(candidate);
  return secrets
    .filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now)
    .map((secret) => isSameSecret(secret.hash, hash))
    .includes(true);
}
