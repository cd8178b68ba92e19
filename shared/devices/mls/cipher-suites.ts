import * as z from "zod";

/** Signature schemes of MLS, as the interface names them. */
export const signatureScheme = z.enum([
  "ed25519",
  "ecdsa_secp256r1_sha256",
  "ecdsa_secp384r1_sha384",
  "ecdsa_secp521r1_sha512",
]);
export type SignatureScheme = z.infer<typeof signatureScheme>;

/** The parts of a cipher suite that a server needs: its hash, as `node:crypto` names it, and its signature scheme. */
export interface CipherSuite {
  readonly hash: "sha256" | "sha384" | "sha512";
  readonly signatureScheme: SignatureScheme;
}

/** Supported cipher suites by number (RFC 9420 §17.1; 0xf031, from the private range, is post-quantum). */
export const cipherSuites: ReadonlyMap<number, CipherSuite> = new Map<number, CipherSuite>([
  [0x0001, { hash: "sha256", signatureScheme: "ed25519" }],
  [0x0002, { hash: "sha256", signatureScheme: "ecdsa_secp256r1_sha256" }],
  [0x0005, { hash: "sha512", signatureScheme: "ecdsa_secp521r1_sha512" }],
  [0x0007, { hash: "sha384", signatureScheme: "ecdsa_secp384r1_sha384" }],
  [0xf031, { hash: "sha256", signatureScheme: "ed25519" }],
]);
