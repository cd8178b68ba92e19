import { createHash, randomBytes } from "node:crypto";
import { isSameSecret } from "#shared/platform/secrets/is-same-secret.ts";

const tokenBytes = 16;

/** Creates a token: 24 characters of base64url, including the padding that existing clients expect. */
export const newAssetToken = (): string => `${randomBytes(tokenBytes).toString("base64url")}==`;

/** The hash that is stored instead of a token. A token is random, so one round without salt suffices. */
export const hashAssetToken = (token: string): string =>
  createHash("sha256").update(token).digest("base64url");

/** Whether a token, or none, opens an asset to users other than its owner. */
export function fitsToken(tokenHash: string | undefined, token: string | undefined): boolean {
  if (tokenHash === undefined || token === undefined) return tokenHash === token;
  return isSameSecret(hashAssetToken(token), tokenHash);
}
