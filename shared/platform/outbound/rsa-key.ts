import { createHash, createPublicKey, type KeyObject } from "node:crypto";

const leastBits = 2048;
const publicKeyPem = /^-----BEGIN PUBLIC KEY-----[\sA-Za-z0-9+/=]*-----END PUBLIC KEY-----$/;

/** Reads a public RSA key in PEM (SubjectPublicKeyInfo). @returns undefined for anything else, and for a short key */
export function parseRsaKey(pem: string): KeyObject | undefined {
  // Otherwise a private key or a certificate would be accepted, too.
  if (!publicKeyPem.test(pem.trim())) return undefined;
  try {
    const key = createPublicKey(pem);
    const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
    return key.asymmetricKeyType === "rsa" && modulusLength >= leastBits ? key : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Fingerprint of a public RSA key, in base64: SHA-256 of the size of the key in bytes as a decimal number, and of
 * modulus and exponent, each as an integer with its length in front.
 * @returns undefined for other kinds of keys
 */
export function rsaFingerprint(key: KeyObject): string | undefined {
  if (key.asymmetricKeyType !== "rsa") return undefined;
  const { n = "", e = "" } = key.export({ format: "jwk" });
  const modulus = Buffer.from(n, "base64url");
  return createHash("sha256")
    .update(String(modulus.length))
    .update(lengthAndInteger(modulus))
    .update(lengthAndInteger(Buffer.from(e, "base64url")))
    .digest("base64");
}

/** A positive integer in two's complement, after its length in four bytes. */
function lengthAndInteger(magnitude: Buffer): Buffer {
  const needsSign = (magnitude[0] ?? 0) >= 0x80;
  const bytes = needsSign ? Buffer.concat([Buffer.of(0), magnitude]) : magnitude;
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
