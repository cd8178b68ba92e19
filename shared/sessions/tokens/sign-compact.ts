import { type KeyObject, sign } from "node:crypto";

/**
 * Writes a JSON Web Token in its compact form (RFC 7515 §7.1) and signs it with Ed25519 (RFC 8037 §3.1) synchronously:
 * libraries sign through WebCrypto, which hands each signature to a thread pool and takes more than twice the CPU time.
 */
export function signCompact(header: object, claims: object, privateKey: KeyObject): string {
  const content = `${toBase64url(header)}.${toBase64url(claims)}`;
  return `${content}.${sign(null, Buffer.from(content), privateKey).toString("base64url")}`;
}

const toBase64url = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
