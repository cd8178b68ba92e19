import type { KeyObject } from "node:crypto";
import type { JWTPayload, JWTVerifyOptions } from "jose";
import { type Clock, toSeconds } from "../clock.ts";
import { ApiError } from "../errors.ts";
import type { Settings } from "../settings.ts";
import type { SecretReader } from "./secret-reader.ts";
import { activeKey, signingKeySet, toPrivateKey, toPublicKey, verificationKeySet } from "./signing-keys.ts";

/** Kinds of JSON Web Tokens that the service signs; a token of one kind is none of another (RFC 8725 §3.11). */
export type JwtType = "at+jwt" | "refresh+jwt" | "authorize-session+jwt";

/** Loaded by the first request that needs it, most never do; in parts, because bundles hold all that is named. */
const signing = () => import("jose/jwt/sign");
const verification = async () => {
  const [{ jwtVerify }, errors] = await Promise.all([import("jose/jwt/verify"), import("jose/errors")]);
  return { jwtVerify, errors };
};

/** Whether a bearer is a JSON Web Token, not a login token. */
export const isJwt = (text: string) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);

/** Signs JSON Web Tokens with the active signing key (EdDSA). */
export class JwtSigner {
  readonly #secrets: SecretReader;
  readonly #clock: Clock;

  constructor(secrets: SecretReader, clock: Clock) {
    this.#secrets = secrets;
    this.#clock = clock;
  }

  /** @throws ApiError `jwt-error` while there is no key */
  async sign(type: JwtType, claims: JWTPayload): Promise<string> {
    const { SignJWT } = await signing();
    const now = toSeconds(this.#clock());
    const key = await orJwtError(async () =>
      activeKey(await this.#secrets.get("signing-keys", readSigningKeys), now),
    );
    const header = { alg: "EdDSA", typ: type, kid: String(key.index) };
    return new SignJWT(claims).setProtectedHeader(header).sign(key.privateKey);
  }
}

/** Checks JSON Web Tokens against the public keys in memory: an unknown `kid` causes no look-up. */
export class JwtVerifier {
  readonly #secrets: SecretReader;
  readonly #settings: Settings;
  readonly #clock: Clock;

  constructor(secrets: SecretReader, settings: Settings, clock: Clock) {
    this.#secrets = secrets;
    this.#settings = settings;
    this.#clock = clock;
  }

  /** User and scopes of an OAuth access token; undefined when it is forged, expired or none. */
  async verifyAccess(text: string): Promise<{ userId: string; scopes: string[] } | undefined> {
    const { domain } = this.#settings;
    const claims = await this.verify("at+jwt", text, {
      issuer: domain,
      audience: domain,
      requiredClaims: ["sub", "exp", "iat", "scope"],
    });
    return claims && { userId: String(claims.sub), scopes: String(claims.scope).split(" ") };
  }

  /**
   * Claims of a token of this type; undefined when it is forged, expired or none.
   * @throws ApiError `jwt-error` while there is no key
   */
  async verify(
    type: JwtType,
    text: string,
    checks: Pick<JWTVerifyOptions, "issuer" | "audience" | "requiredClaims"> = {},
  ): Promise<JWTPayload | undefined> {
    const { errors, jwtVerify } = await verification();
    const keys = await orJwtError(() => this.#secrets.get("verification-keys", readPublicKeys));
    const keyOf = ({ kid }: { kid?: string }): KeyObject => {
      const key = keys.get(kid ?? "");
      if (key === undefined) throw new errors.JWKSNoMatchingKey();
      return key;
    };
    try {
      const { payload } = await jwtVerify(text, keyOf, {
        ...checks,
        typ: type,
        algorithms: ["EdDSA"],
        currentDate: new Date(this.#clock()),
        clockTolerance: 1,
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
}

function readSigningKeys(text: string) {
  const { keys } = signingKeySet.parse(JSON.parse(text));
  return keys.map((key) => ({ ...key, privateKey: toPrivateKey(key.jwk) }));
}

function readPublicKeys(text: string): ReadonlyMap<string, KeyObject> {
  const { keys } = verificationKeySet.parse(JSON.parse(text));
  return new Map(keys.map(({ index, jwk }) => [String(index), toPublicKey(jwk)]));
}

async function orJwtError<Result>(step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (cause) {
    throw new ApiError("jwt-error", { cause });
  }
}
