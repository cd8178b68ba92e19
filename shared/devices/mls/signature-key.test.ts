import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newSigner } from "../../../test/support/key-packages.ts";
import { signatureScheme } from "./cipher-suites.ts";
import { type PublicJwk, toPublicKey, toRawKey, verifyWithLabel } from "./signature-key.ts";

describe.each(signatureScheme.options)("a public key for %s", (scheme) => {
  const { raw, publicKey } = newSigner(scheme);
  const own = { scheme, raw };

  it("is read from its MLS form and written back", () => {
    for (const { raw } of Array.from({ length: 20 }, () => newSigner(scheme))) {
      const key = toPublicKey(scheme, raw);
      expect(key && toRawKey(key.export({ format: "jwk" }) as PublicJwk)).toEqual(raw);
    }
    expect(toPublicKey(scheme, own.raw)?.equals(publicKey)).toBe(true);
  });

  it("is refused when it is too long, too short, or of another scheme", () => {
    const others = signatureScheme.options
      .filter((other) => other !== scheme)
      .map((other) => newSigner(other).raw);
    const bad = [raw.subarray(1), Buffer.concat([raw, Buffer.of(0)]), Buffer.alloc(0), ...others];
    expect(bad.filter((bytes) => toPublicKey(scheme, bytes) !== undefined)).toEqual([]);
  });

  it("does not verify malformed signatures, and does not throw", () => {
    for (const signature of [
      Buffer.alloc(0),
      randomBytes(64),
      randomBytes(139),
      Buffer.from("3006020100020100", "hex"),
    ])
      expect(verifyWithLabel(scheme, publicKey, { label: "x", content: randomBytes(10), signature })).toBe(
        false,
      );
  });
});

it("points that are compressed or not on the curve are refused", () => {
  const { raw } = newSigner("ecdsa_secp256r1_sha256");
  const elsewhere = Buffer.from(raw);
  elsewhere.writeUInt8((raw.at(-1) ?? 0) ^ 1, raw.length - 1);
  const compressed = Buffer.concat([Buffer.of(2), raw.subarray(1, 33)]);
  for (const bytes of [elsewhere, compressed, Buffer.alloc(65, 4)])
    expect(toPublicKey("ecdsa_secp256r1_sha256", bytes)).toBeUndefined();
});
