import { randomBytes, randomInt } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newKeyPackage, newSigner, referenceOf, schemes } from "../../../test/support/key-packages.ts";
import { type CipherSuite, cipherSuites } from "./cipher-suites.ts";
import { decodeKeyPackage, keyPackageReference } from "./key-package.ts";
import { toPublicKey, verifyWithLabel } from "./signature-key.ts";
import { encodeOpaque, MalformedStructureError } from "./tls-reader.ts";

const signer = newSigner();
const identity = "somebody";

const isDecodable = (bytes: Buffer) => {
  try {
    decodeKeyPackage(bytes);
    return true;
  } catch (error) {
    if (error instanceof MalformedStructureError) return false;
    throw error;
  }
};

describe.each([...schemes])("a key package of suite %i from another implementation", (suite, scheme) => {
  it("is decoded, and its signatures verify", async () => {
    const own = newSigner(scheme);
    const bytes = await newKeyPackage({ signer: own, identity, suite, notBefore: 1, notAfter: 2 });
    const keyPackage = decodeKeyPackage(bytes);
    const { leafNode } = keyPackage;
    const key = toPublicKey(scheme, leafNode.signatureKey);

    expect(keyPackage.suite).toBe(suite);
    expect(leafNode.credential).toEqual({ type: "basic", identity: Buffer.from(identity) });
    expect(leafNode.lifetime).toEqual({ notBefore: 1n, notAfter: 2n });
    expect(leafNode.signatureKey).toEqual(own.raw);
    if (key === undefined) throw new Error("not a key");
    const verify = (
      label: string,
      { signedBytes: content, signature }: typeof leafNode | typeof keyPackage,
    ) => verifyWithLabel(scheme, key, { label, content, signature });
    expect(verify("KeyPackageTBS", keyPackage)).toBe(true);
    expect(verify("LeafNodeTBS", leafNode)).toBe(true);
    expect(verify("LeafNodeTBS", keyPackage)).toBe(false);
    expect(verify("KeyPackageTBS", { ...keyPackage, signature: randomBytes(64) })).toBe(false);
  });

  it("has the same reference in both implementations", async () => {
    const bytes = await newKeyPackage({ signer: newSigner(scheme), suite });
    expect(keyPackageReference(bytes, cipherSuites.get(suite) as CipherSuite)).toEqual(
      await referenceOf(bytes),
    );
  });
});

describe("decoding a key package", () => {
  it("reads a chain of certificates", async () => {
    const certificates = [randomBytes(700), randomBytes(20_000)];
    const bytes = await newKeyPackage({ signer, credential: { credentialType: "x509", certificates } });
    expect(decodeKeyPackage(bytes).leafNode.credential).toEqual({ type: "x509", certificates });
  });

  it("finds no lifetime in leaves of updates and commits, and refuses leaves from other sources", async () => {
    const made = await newKeyPackage({ signer, identity });
    const leafStart = made.indexOf(signer.raw) + signer.raw.length;
    const sourceAt = made.indexOf(Buffer.from([1, 0, 0, 0, 0]), leafStart);
    const update = Buffer.concat([made.subarray(0, sourceAt), Buffer.of(2), made.subarray(sourceAt + 17)]);
    const parentHash = encodeOpaque(randomBytes(32));
    const commit = Buffer.concat([
      made.subarray(0, sourceAt),
      Buffer.of(3),
      parentHash,
      made.subarray(sourceAt + 17),
    ]);
    for (const bytes of [update, commit]) expect(decodeKeyPackage(bytes).leafNode.lifetime).toBeUndefined();
    const unknown = Buffer.from(made);
    unknown[sourceAt] = 4;
    expect(isDecodable(unknown)).toBe(false);
  });

  it("refuses every truncation, and any trailing byte", async () => {
    const bytes = await newKeyPackage({ signer, identity });
    expect(isDecodable(bytes)).toBe(true);
    const truncations = Array.from(bytes, (_, length) => bytes.subarray(0, length));
    expect(truncations.filter(isDecodable)).toEqual([]);
    expect(isDecodable(Buffer.concat([bytes, Buffer.of(0)]))).toBe(false);
  });

  it("refuses other versions, unknown credentials and lists of odd length", async () => {
    const bytes = await newKeyPackage({ signer, identity });
    const other = Buffer.from(bytes);
    other.writeUInt16BE(2, 0);
    expect(isDecodable(other)).toBe(false);
    const unknown = Buffer.from(bytes);
    unknown.writeUInt16BE(3, bytes.indexOf(identity) - 3);
    expect(isDecodable(unknown)).toBe(false);
    const versions = bytes.indexOf(identity) + identity.length;
    const odd = Buffer.concat([
      bytes.subarray(0, versions),
      Buffer.of(3, 0, 1, 0),
      bytes.subarray(versions + 3),
    ]);
    expect(isDecodable(odd)).toBe(false);
  });

  it("refuses lengths beyond the end, and lengths in more bytes than needed", async () => {
    const bytes = await newKeyPackage({ signer, identity });
    for (const huge of ["7fff", "bfffffff", "ffffffffffffffff"]) {
      const bad = Buffer.concat([bytes.subarray(0, 4), Buffer.from(huge, "hex"), bytes.subarray(5)]);
      expect(isDecodable(bad)).toBe(false);
    }
    const long = Buffer.concat([bytes.subarray(0, 4), Buffer.from("4020", "hex"), bytes.subarray(5)]);
    expect(isDecodable(long)).toBe(false);
  });

  it("reads a list of 200,000 entries in seconds at most", async () => {
    const count = 200_000;
    const list = encodeOpaque(Buffer.alloc(2 * count, 1));
    const bytes = await newKeyPackage({ signer, identity });
    const versions = bytes.indexOf(identity) + identity.length;
    const long = Buffer.concat([bytes.subarray(0, versions), list, bytes.subarray(versions + 3)]);
    const startedAt = performance.now();
    expect(isDecodable(long)).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it("throws nothing but MalformedStructureError for random or damaged bytes", async () => {
    const bytes = await newKeyPackage({ signer, identity });
    for (let round = 0; round < 20_000; round++) {
      const damaged = round % 4 === 0 ? randomBytes(randomInt(300)) : Buffer.from(bytes);
      for (let change = randomInt(1, 4); change > 0 && damaged.length > 0; change--)
        damaged[randomInt(damaged.length)] = randomInt(256);
      isDecodable(damaged.subarray(0, randomInt(damaged.length + 1)));
      isDecodable(damaged);
    }
  });
});
