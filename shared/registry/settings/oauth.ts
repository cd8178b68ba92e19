import * as z from "zod";
import { seconds } from "./types.ts";

/** Settings of the authorization server. */
export const oauthSettings = {
  setOAuthEnabled: z.boolean().default(false),
  /** Lets apps sign people in. */
  setOAuthOpenIdEnabled: z.boolean().default(false),
  /** How id tokens are signed. ES256 is for apps whose libraries lack EdDSA. */
  setOAuthOpenIdAlgorithm: z.enum(["EdDSA", "ES256"]).default("EdDSA"),
  setOAuthAuthCodeExpirationTimeSecs: seconds.min(1).default(300),
  setOAuthAccessTokenExpirationTimeSecs: seconds.min(1).default(300),
  setOAuthRefreshTokenExpirationTimeSecs: seconds.min(1).max(14_515_200).default(14_515_200),
  /** Valid refresh tokens of a user. */
  setOAuthMaxActiveRefreshTokens: z.int().min(1).max(100).default(20),
  /** Reuse of a refresh token revokes the grant. */
  setOAuthRefreshTokenReuseDetection: z.boolean().default(true),
  /** Time in which repeating a refresh is no reuse. */
  setOAuthRefreshTokenReuseGraceSecs: seconds.default(10),
  /** Such a repetition gets tokens. It gets the same kind of answer as the lost one, until the new refresh token is used. */
  setOAuthRefreshTokenReuseAnswered: z.boolean().default(false),
  /** How long an app's old secret stays valid. */
  setOAuthSecretOverlapSecs: seconds.default(86_400),
  /** Lifetime of a login on authorization pages. */
  setOAuthPageSessionSecs: seconds.min(60).default(600),
};
