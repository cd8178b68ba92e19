import { randomBytes } from "node:crypto";
import { type Clock, toSeconds } from "../clock.ts";
import type { Settings } from "../settings.ts";
import type { SecretReader } from "./secret-reader.ts";
import { activeKey, signingKeySet, toPrivateKey } from "./signing-keys.ts";
import { signToken, type Token } from "./token.ts";

/** What login, registration and `/access` answer (interface section 2.3). */
export interface AccessToken {
  readonly user: string;
  readonly access_token: string;
  readonly token_type: "Bearer";
  readonly expires_in: number;
}

/** Signs access tokens and cookie tokens with the active key. */
export class TokenIssuer {
  readonly #secrets: SecretReader;
  readonly #settings: Settings;
  readonly #clock: Clock;

  constructor(secrets: SecretReader, settings: Settings, clock: Clock) {
    this.#secrets = secrets;
    this.#settings = settings;
    this.#clock = clock;
  }

  /** @param expiresAtSeconds end of what the token rests on; the token never outlives it */
  async accessToken(grant: {
    userId: string;
    expiresAtSeconds?: number;
    connectionId?: string;
    clientId?: string;
  }): Promise<AccessToken> {
    const now = toSeconds(this.#clock());
    const lifetime = this.#settings.zauth.authSettings.accessTokenTimeout;
    const expiresAtSeconds = Math.min(now + lifetime, grant.expiresAtSeconds ?? Number.POSITIVE_INFINITY);
    const text = await this.#sign({
      type: "access",
      isSession: false,
      userId: grant.userId,
      clientId: grant.clientId,
      connectionId: grant.connectionId ?? randomBytes(8).readBigUInt64BE().toString(),
      expiresAtSeconds,
    });
    return {
      user: grant.userId,
      access_token: text,
      token_type: "Bearer",
      expires_in: expiresAtSeconds - now,
    };
  }

  cookieToken(cookie: {
    userId: string;
    cookieId: number;
    isSession: boolean;
    expiresAtSeconds: number;
    clientId?: string;
  }): Promise<string> {
    return this.#sign({ type: "cookie", ...cookie });
  }

  async #sign(token: Omit<Token, "keyIndex">): Promise<string> {
    const keySet = await this.#secrets.get("signing-keys", readSigningKeys);
    const { index, privateKey } = activeKey(keySet, toSeconds(this.#clock()));
    return signToken({ ...token, keyIndex: index }, privateKey);
  }
}

function readSigningKeys(text: string) {
  const { keys } = signingKeySet.parse(JSON.parse(text));
  return keys.map((key) => ({ ...key, privateKey: toPrivateKey(key.jwk) }));
}
