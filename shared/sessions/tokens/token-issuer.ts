import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { readActiveKey } from "./signing-keys.ts";
import { type BotToken, signToken, type UnsignedToken } from "./token.ts";

/** Response of login and `/access`. */
export interface AccessToken {
  readonly user: string;
  readonly access_token: string;
  readonly token_type: "Bearer";
  readonly expires_in: number;
}

/** Signs tokens with the active key. */
export class TokenIssuer {
  readonly #secrets: SecretReader;
  readonly #settings: Settings;
  readonly #clock: Clock;

  constructor({ secrets, settings, clock }: { secrets: SecretReader; settings: Settings; clock: Clock }) {
    this.#secrets = secrets;
    this.#settings = settings;
    this.#clock = clock;
  }

  /** @param grant.expiresAtSeconds when the session or account behind the token ends; the token never outlives it */
  async accessToken(grant: {
    userId: string;
    connectionId: string;
    expiresAtSeconds?: number;
    clientId?: string;
    isLegalHold?: boolean | undefined;
  }): Promise<AccessToken> {
    const now = toSeconds(this.#clock());
    const lifetime = this.#settings.zauth.authSettings.accessTokenTimeout;
    const expiresAtSeconds = Math.min(now + lifetime, grant.expiresAtSeconds ?? Number.POSITIVE_INFINITY);
    const text = await this.#sign({
      type: grant.isLegalHold ? "legalhold-access" : "access",
      isSession: false,
      userId: grant.userId,
      clientId: grant.clientId,
      connectionId: grant.connectionId,
      expiresAtSeconds,
    });
    return {
      user: grant.userId,
      access_token: text,
      token_type: "Bearer",
      expires_in: expiresAtSeconds - now,
    };
  }

  cookieToken({
    isLegalHold = false,
    ...cookie
  }: {
    userId: string;
    isLegalHold?: boolean | undefined;
    cookieId: number;
    isSession: boolean;
    expiresAtSeconds: number;
    clientId?: string;
  }): Promise<string> {
    return this.#sign({ type: isLegalHold ? "legalhold-cookie" : "cookie", ...cookie });
  }

  /** Token of a provider that has logged in. It is never renewed. */
  async providerToken(providerId: string): Promise<{ text: string; expiresAtSeconds: number }> {
    const expiresAtSeconds = toSeconds(this.#clock()) + this.#settings.providerTokenTimeout;
    return { text: await this.#sign({ type: "provider", providerId, expiresAtSeconds }), expiresAtSeconds };
  }

  /** Token of a bot, for its one conversation. It never expires. */
  botToken(bot: Pick<BotToken, "providerId" | "botId" | "conversationId">): Promise<string> {
    return this.#sign({ type: "bot", ...bot });
  }

  async #sign(token: UnsignedToken): Promise<string> {
    const { index, privateKey } = await readActiveKey(this.#secrets, toSeconds(this.#clock()));
    return signToken({ ...token, keyIndex: index }, privateKey);
  }
}
