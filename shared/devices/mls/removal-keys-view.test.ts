import { expect, it } from "vitest";
import { signatureScheme } from "./cipher-suites.ts";
import { deriveRemovalKeys } from "./removal-keys.ts";
import { toRemovalKeysView } from "./removal-keys-view.ts";

const { removal: raw } = toRemovalKeysView(deriveRemovalKeys("a seed"), "raw");
const { removal: jwk } = toRemovalKeysView(deriveRemovalKeys("a seed"), "jwk");
const bytesOf = (scheme: keyof typeof raw) => Buffer.from(String(raw[scheme]), "base64");

it("the removal keys are shown raw in the form of MLS", () => {
  const sizes = signatureScheme.options.map((scheme) => [scheme, bytesOf(scheme).length]);
  expect(Object.fromEntries(sizes)).toEqual({
    ed25519: 32,
    ecdsa_secp256r1_sha256: 65,
    ecdsa_secp384r1_sha384: 97,
    ecdsa_secp521r1_sha512: 133,
  });
});

it("the removal keys are shown as JSON Web Keys, too", () => {
  const part = (scheme: keyof typeof raw, start: number, length: number) =>
    bytesOf(scheme)
      .subarray(start, start + length)
      .toString("base64url");
  const point = (crv: string, scheme: keyof typeof raw, length: number) => ({
    kty: "EC",
    crv,
    x: part(scheme, 1, length),
    y: part(scheme, 1 + length, length),
  });
  expect(jwk).toEqual({
    ed25519: { kty: "OKP", crv: "Ed25519", x: part("ed25519", 0, 32) },
    ecdsa_secp256r1_sha256: point("P-256", "ecdsa_secp256r1_sha256", 32),
    ecdsa_secp384r1_sha384: point("P-384", "ecdsa_secp384r1_sha384", 48),
    ecdsa_secp521r1_sha512: point("P-521", "ecdsa_secp521r1_sha512", 66),
  });
});
