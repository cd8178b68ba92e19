import { createPublicKey, sign, verify } from "node:crypto";
import { expect, it } from "vitest";
import { signatureScheme } from "./cipher-suites.ts";
import { deriveRemovalKeys, toRemovalKeysView } from "./removal-keys.ts";
import { type PublicJwk, toRawKey } from "./signature-key.ts";

const rawKeys = (seed: string) => {
  const keys = deriveRemovalKeys(seed);
  return Object.fromEntries(
    signatureScheme.options.map((scheme) => [
      scheme,
      toRawKey(createPublicKey(keys[scheme]).export({ format: "jwk" }) as PublicJwk).toString("base64"),
    ]),
  );
};

it("a seed always yields the same keys, because groups name them", () => {
  expect(rawKeys("a seed")).toMatchInlineSnapshot(`
    {
      "ecdsa_secp256r1_sha256": "BB73sKza68z2YDAKP5WHrF3LicYRBbhtkczYtSpzgnxBSn517MRLfKUWHzolwvrRRcnwhRbbnJJ7eO7od+eqgMA=",
      "ecdsa_secp384r1_sha384": "BH+vOb1nVXfAlEHw3duAtaFDkFoeUzrmMg772AXlU2DL/3Pc+T4wBwa+00Vt6dvQ1TlT7hXShYLYSVAwIc41bs3t110mkq8KLL++n2r5psEIiUMyYneOKbt76SblIOn/tg==",
      "ecdsa_secp521r1_sha512": "BAE9l1hvFLV/uBjYJRyFmcXPLnSdGyq6E89tsxBUrkbu22pXhgKzJr5etzkX62ri9gCMqB9PXJguVBIB/15DuTiTMAAxLevE2kzY5kIqSLtUF5/OlbEX+FFzmmrKvygDuHRSMPqZIxuMKBSTPKXuv68x8C1kY7uTOnnT7o0MvfeYfU/mrw==",
      "ed25519": "PqWoj5XuVW2/M5ttwRPlD5a52YjLWHOvdW3IHjBN+R8=",
    }
  `);
});

it("another seed yields other keys", () => {
  const [one, other] = [rawKeys("one"), rawKeys("other")];
  for (const scheme of signatureScheme.options) expect(one[scheme]).not.toBe(other[scheme]);
});

it.each([
  ["ed25519", 32],
  ["ecdsa_secp256r1_sha256", 65],
  ["ecdsa_secp384r1_sha384", 97],
  ["ecdsa_secp521r1_sha512", 133],
] as const)("derives a key for %s that can sign", (scheme, length) => {
  const key = deriveRemovalKeys("a seed")[scheme];
  const hash = scheme === "ed25519" ? undefined : "sha256";
  const signature = sign(hash, Buffer.from("x"), key);
  expect(verify(hash, Buffer.from("x"), createPublicKey(key), signature)).toBe(true);
  expect(Buffer.from(rawKeys("a seed")[scheme] ?? "", "base64")).toHaveLength(length);
});

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
