import { createPublicKey, type JsonWebKey, type KeyObject, sign, verify } from "node:crypto";
import type { SignatureScheme } from "./cipher-suites.ts";
import { encodeOpaque } from "./tls-reader.ts";

/** Public key of a signature scheme as a JSON Web Key (RFC 7518 §6.2, RFC 8037). */
export interface PublicJwk extends JsonWebKey {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  /** Absent for Ed25519. */
  readonly y?: string;
}

interface Curve {
  /** Its name in a JSON Web Key. */
  readonly crv: string;
  /** Absent when the signature scheme does its own hashing. */
  readonly hash?: string;
  readonly coordinateBytes: number;
}

const curves: Readonly<Record<SignatureScheme, Curve>> = {
  ed25519: { crv: "Ed25519", coordinateBytes: 32 },
  ecdsa_secp256r1_sha256: { crv: "P-256", hash: "sha256", coordinateBytes: 32 },
  ecdsa_secp384r1_sha384: { crv: "P-384", hash: "sha384", coordinateBytes: 48 },
  ecdsa_secp521r1_sha512: { crv: "P-521", hash: "sha512", coordinateBytes: 66 },
};

/** First byte of an uncompressed point (SEC 1 §2.3.3), the form that MLS uses for keys of NIST curves. */
const uncompressed = 0x04;

/** Parses a public key in the form of MLS (RFC 9420 §5.1.1); returns undefined when it is not a key of the scheme. */
export function toPublicKey(scheme: SignatureScheme, raw: Buffer): KeyObject | undefined {
  const jwk = toJwk(scheme, raw);
  if (jwk === undefined) return undefined;
  try {
    return createPublicKey({ key: jwk, format: "jwk" });
  } catch {
    return undefined;
  }
}

function toJwk(scheme: SignatureScheme, raw: Buffer): PublicJwk | undefined {
  const { crv, coordinateBytes } = curves[scheme];
  const text = (start: number) => raw.subarray(start, start + coordinateBytes).toString("base64url");
  if (scheme === "ed25519")
    return raw.length === coordinateBytes ? { kty: "OKP", crv, x: text(0) } : undefined;
  const isPoint = raw.length === 1 + 2 * coordinateBytes && raw[0] === uncompressed;
  return isPoint ? { kty: "EC", crv, x: text(1), y: text(1 + coordinateBytes) } : undefined;
}

/** Converts a public key to the form of MLS (RFC 9420 §5.1.1). */
export function toRawKey({ x, y }: PublicJwk): Buffer {
  const first = Buffer.from(x, "base64url");
  return y === undefined
    ? first
    : Buffer.concat([Buffer.of(uncompressed), first, Buffer.from(y, "base64url")]);
}

/** `VerifyWithLabel` (RFC 9420 §5.1.2) */
export function verifyWithLabel(
  scheme: SignatureScheme,
  key: KeyObject,
  { label, content, signature }: { label: string; content: Buffer; signature: Buffer },
): boolean {
  return verify(curves[scheme].hash, toSign(label, content), key, signature);
}

/** `SignWithLabel` (RFC 9420 §5.1.2) */
export const signWithLabel = (
  scheme: SignatureScheme,
  key: KeyObject,
  { label, content }: { label: string; content: Buffer },
): Buffer => sign(curves[scheme].hash, toSign(label, content), key);

/** `SignContent` */
const toSign = (label: string, content: Buffer): Buffer =>
  Buffer.concat([encodeOpaque(Buffer.from(`MLS 1.0 ${label}`)), encodeOpaque(content)]);
