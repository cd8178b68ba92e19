import * as z from "zod";
import { seconds } from "./types.ts";

/** Settings of the authorization server. */
export const oauthSettings = {
  setOAuthEnabled: z.boolean().default(false),
  /** Whether apps can also sign people in (OpenID Connect). */
  setOAuthOpenIdEnabled: z.boolean().default(false),
  /** How id tokens are signed: ES256 is for apps whose libraries lack EdDSA. */
  setOAuthOpenIdAlgorithm: z.enum(["EdDSA", "ES256"]).default("EdDSA"),
  setOAuthAuthCodeExpirationTimeSecs: seconds.min(1).default(300),
  setOAuthAccessTokenExpirationTimeSecs: seconds.min(1).default(300),
  setOAuthRefreshTokenExpirationTimeSecs: seconds.min(1).max(14_515_200).default(14_515_200),
  /** Valid refresh tokens of one user across all apps. */
  setOAuthMaxActiveRefreshTokens: z.int().min(1).max(100).default(20),
  /** Whether the reuse of a refresh token revokes the whole grant. */
  setOAuthRefreshTokenReuseDetection: z.boolean().default(true),
  /** Time in which an app may repeat its last refresh without this counting as reuse. */
  setOAuthRefreshTokenReuseGraceSecs: seconds.default(10),
  /** Whether such a repetition gets the same kind of answer as the lost one, until the new refresh token is used. */
  setOAuthRefreshTokenReuseAnswered: z.boolean().default(false),
  /** How long an app's old secret stays valid after a new one is created. */
  setOAuthSecretOverlapSecs: seconds.default(86_400),
  /** How long a login on the authorization pages lasts. */
  setOAuthPageSessionSecs: seconds.min(60).default(600),
};
