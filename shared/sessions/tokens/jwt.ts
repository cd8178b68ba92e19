import { type KeyObject, sign } from "node:crypto";
import type { JwtPayload } from "aws-jwt-verify/jwt-model";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { currentKeys, readActiveKey, toPublicKey, verificationKeySet } from "./signing-keys.ts";

/** Types of JSON Web Tokens that the service signs; none is accepted instead of another (RFC 8725 §3.11). */
export type JwtType =
  | "at+jwt"
  | "refresh+jwt"
  | "authorize-session+jwt"
  | "account-session+jwt"
  | "company-order+jwt"
  | "company-proof+jwt"
  | "statement+jwt";

/** Loaded on first use, because most requests never need it. */
const verification = () => import("#shared/sessions/tokens/jwt-verification.ts");

/** Seconds by which clocks may differ. */
const toleranceSeconds = 1;

/** Whether a bearer token is a JSON Web Token rather than a login token. */
export const isJwt = (text: string) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);

/** Signs JSON Web Tokens with the active signing key (EdDSA). */
export class JwtSigner {
  readonly #secrets: SecretReader;
  readonly #clock: Clock;

  constructor({ secrets, clock }: { secrets: SecretReader; clock: Clock }) {
    this.#secrets = secrets;
    this.#clock = clock;
  }

  /** @throws ApiError `jwt-error` while there is no key */
  async sign(type: JwtType, claims: object): Promise<string> {
    const now = toSeconds(this.#clock());
    const key = await orJwtError(() => readActiveKey(this.#secrets, now));
    return signCompact({ alg: "EdDSA", typ: type, kid: String(key.index) }, claims, key.privateKey);
  }
}

/**
 * Verifies JSON Web Tokens that the service has signed, against the public keys in memory: an unknown `kid` causes no
 * look-up.
 */
export class JwtVerifier {
  readonly #secrets: SecretReader;
  readonly #domain: string;
  readonly #clock: Clock;

  constructor({ secrets, settings, clock }: { secrets: SecretReader; settings: Settings; clock: Clock }) {
    this.#secrets = secrets;
    this.#domain = settings.domain;
    this.#clock = clock;
  }

  /** User and scopes of an OAuth access token; undefined when it is forged or expired. */
  async verifyAccess(
    text: string,
  ): Promise<{ userId: string; appId?: string; scopes: string[] } | undefined> {
    const audience = { issuer: this.#domain, audience: this.#domain };
    const claims = await this.verify("at+jwt", text, ["sub", "exp", "iat", "scope"], audience);
    return (
      claims && {
        userId: String(claims.sub),
        ...(typeof claims.client_id === "string" && { appId: claims.client_id }),
        scopes: String(claims.scope).split(" "),
      }
    );
  }

  /**
   * Claims of a token of this type; undefined when it is forged or expired, or lacks a required claim.
   * @throws ApiError `jwt-error` while there is no key
   */
  async verify(
    type: JwtType,
    text: string,
    required: readonly (keyof JwtPayload)[],
    { issuer, audience }: { issuer: string | null; audience: string | null } = {
      issuer: null,
      audience: null,
    },
  ): Promise<JwtPayload | undefined> {
    const { verifyJwtSync, assertStringEquals, JwtBaseError } = await verification();
    const { jwks, publicKeyOf } = await orJwtError(() =>
      this.#secrets.get("verification-keys", readPublicKeys),
    );
    try {
      const claims = verifyJwtSync(
        text,
        jwks,
        {
          issuer,
          audience,
          graceSeconds: toleranceSeconds,
          customJwtCheck: ({ header }) => assertStringEquals("typ", Object(header).typ, type),
        },
        ({ kid }) => publicKeyOf(kid),
      );
      return required.every((name) => claims[name] !== undefined) && this.#isCurrent(claims)
        ? claims
        : undefined;
    } catch (error) {
      if (error instanceof JwtBaseError) return undefined;
      throw error;
    }
  }

  /** Checked here because the library cannot use our clock. */
  #isCurrent({ exp, nbf }: JwtPayload): boolean {
    const now = toSeconds(this.#clock());
    return (
      (exp === undefined || exp + toleranceSeconds > now) &&
      (nbf === undefined || nbf - toleranceSeconds <= now)
    );
  }
}

/** Prepares the keys for the library, once instead of for every verification. */
function readPublicKeys(text: string) {
  const keys = currentKeys(verificationKeySet.parse(JSON.parse(text)));
  const publicKeys = new Map(keys.map(({ index, jwk }) => [String(index), toPublicKey(jwk)]));
  return {
    jwks: { keys: keys.map(({ index, jwk }) => ({ ...jwk, kid: String(index), alg: "EdDSA", use: "sig" })) },
    publicKeyOf: (kid: string | undefined) => publicKeys.get(kid ?? "") as KeyObject,
  };
}

async function orJwtError<Result>(step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (cause) {
    throw new ApiError("jwt-error", { cause });
  }
}

/**
 * Writes a JSON Web Token in its compact form (RFC 7515 §7.1) and signs it with Ed25519 (RFC 8037 §3.1) synchronously:
 * libraries sign through WebCrypto, which hands each signature to a thread pool and takes more than twice the CPU time.
 */
export function signCompact(header: object, claims: object, privateKey: KeyObject): string {
  const content = `${toBase64url(header)}.${toBase64url(claims)}`;
  return `${content}.${sign(null, Buffer.from(content), privateKey).toString("base64url")}`;
}

const toBase64url = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
