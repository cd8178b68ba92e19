import * as z from "zod";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { idTokenKey, idTokenPublicKey } from "./id-token-keys.ts";

interface Deps {
  readonly clock: Clock;
  readonly config: Pick<Config, "publicUrl">;
  readonly secrets: SecretReader;
  readonly settings: Settings;
}

/** Loaded on first use: most installations sign nobody in. */
const library = () => import("jose");

/** Other tokens of the same keys have other types. */
const type = "JWT";

/** Claims about a login for an app (OpenID Connect Core §2). */
interface Login {
  readonly userId: string;
  /** Id of the app. */
  readonly clientId: string;
  readonly authTime?: number | undefined;
  readonly nonce?: string | undefined;
}

/** @throws ApiError `jwt-error` while there is no key */
export async function signIdToken(deps: Deps, { userId, clientId, authTime, nonce }: Login): Promise<string> {
  const { clock, config, settings } = deps;
  const alg = settings.setOAuthOpenIdAlgorithm;
  const now = toSeconds(clock());
  const { SignJWT } = await library();
  const { kid, privateKey } = await idTokenKey(deps, alg, now).catch((cause) => {
    throw new ApiError("jwt-error", { cause });
  });
  const claims = {
    iss: config.publicUrl,
    sub: userId,
    aud: clientId,
    iat: now,
    exp: now + settings.setOAuthAccessTokenExpirationTimeSecs,
    ...(authTime !== undefined && { auth_time: authTime }),
    ...(nonce !== undefined && { nonce }),
  };
  return new SignJWT(claims).setProtectedHeader({ alg, typ: type, kid }).sign(privateKey);
}

const hintClaims = z.object({ iss: z.string(), sub: z.uuid(), aud: z.uuid() });

/**
 * The user and the app of an id token, which may have expired: as a hint, it still identifies the user.
 * @returns undefined for a token that is not ours
 */
export async function readIdTokenHint(
  deps: Deps,
  token: string,
): Promise<{ userId: string; clientId: string } | undefined> {
  const { compactVerify, errors } = await library();
  try {
    const { payload, protectedHeader } = await compactVerify(
      token,
      async (header) => {
        const key = await idTokenPublicKey(deps, header);
        if (key === undefined) throw new errors.JWKSNoMatchingKey();
        return key;
      },
      { algorithms: ["EdDSA", "ES256"] },
    );
    const claims = hintClaims.safeParse(JSON.parse(Buffer.from(payload).toString()));
    const isOurs = claims.data?.iss === deps.config.publicUrl && protectedHeader.typ === type;
    return claims.success && isOurs ? { userId: claims.data.sub, clientId: claims.data.aud } : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
