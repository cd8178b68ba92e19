import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newSigner } from "../../../test/support/key-packages.ts";
import { lastPrekey, newPrekey } from "../../../test/support/prekeys.ts";
import { checkKeys } from "./check-keys.ts";

const isRefused = (uploaded: Parameters<typeof checkKeys>[0]) => {
  expect(() => checkKeys(uploaded)).toThrow(expect.objectContaining({ error: "bad-request" }));
};

describe("the keys of an upload", () => {
  it("may be few or none", () => {
    expect(checkKeys({})).toEqual({ prekeys: [], mls_public_keys: {} });
    const uploaded = { prekeys: [newPrekey(1)], lastkey: lastPrekey(), mls_public_keys: {} };
    expect(checkKeys(uploaded)).toEqual(uploaded);
  });

  const { key } = newPrekey(5);
  it.each([
    { prekeys: [{ id: 6, key }] },
    { prekeys: [newPrekey(1), { id: 5, key: `${key}!` }] },
    { prekeys: [{ id: 5, key: "AAAA" }] },
    { prekeys: [{ id: 5, key: "" }] },
    { lastkey: newPrekey(5) },
    { lastkey: { id: 65_535, key } },
  ])("are refused with prekeys that do not hold their id: %o", isRefused);

  const ed25519 = newSigner("ed25519").raw.toString("base64");
  const ofP256 = newSigner("ecdsa_secp256r1_sha256").raw.toString("base64");
  const ofP384 = newSigner("ecdsa_secp384r1_sha384").raw.toString("base64");
  it.each<Record<string, string>>([
    { ed448: ed25519 },
    { ed25519: `${ed25519.slice(0, -1)}!` },
    { ed25519: ed25519.slice(0, -1) },
    { ed25519: "" },
    { ed25519: ofP256 },
    { ecdsa_secp256r1_sha256: ed25519 },
    { ecdsa_secp256r1_sha256: randomBytes(65).fill(4, 0, 1).toString("base64") },
    { ecdsa_secp256r1_sha256: ofP384 },
    { ed25519, constructor: ed25519 },
  ])("are refused with MLS keys that are malformed or of an unknown scheme: %o", (mls_public_keys) => {
    expect(checkKeys({ mls_public_keys: { ed25519, ecdsa_secp256r1_sha256: ofP256 } })).toBeDefined();
    isRefused({ mls_public_keys });
  });
});
