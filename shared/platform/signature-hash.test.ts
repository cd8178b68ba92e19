import { expect, it } from "vitest";
import { SignatureHash } from "./signature-hash.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

it("is SHA-256 without a secret (FIPS 180-4)", async () => {
  const hash = new SignatureHash();
  hash.update("a");
  hash.update(Buffer.from("bc"));
  expect(hex(await hash.digest())).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

const key = Buffer.from("xJefex");

it.each([
  ["text", "Jefe"],
  ["a buffer", new Uint8Array(Buffer.from("Jefe")).buffer],
  ["a part of a buffer", key.subarray(1, 5)],
  ["a view of a part", new DataView(key.buffer, key.byteOffset + 1, 4)],
])("is HMAC with a secret that is %s (RFC 4231 §4.3)", async (_, secret) => {
  const hash = new SignatureHash(secret);
  for (let round = 0; round < 2; round++) {
    hash.update("what do ya want for nothing?");
    expect(hex(await hash.digest())).toBe("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    hash.reset();
  }
});
