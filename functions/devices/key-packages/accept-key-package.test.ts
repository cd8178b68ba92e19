import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { signatureScheme } from "#shared/devices/mls/cipher-suites.ts";
import { newCertificate } from "../../../test/support/certificate.ts";
import {
  type KeyPackageWish,
  newKeyPackage,
  newSigner,
  referenceOf,
  schemes,
} from "../../../test/support/key-packages.ts";
import { acceptKeyPackage } from "./accept-key-package.ts";

const nowSeconds = 1_800_000_000;
const longestLifetime = 7_776_000;
const owner = { userId: randomUUID(), clientId: "c0ffee", domain: "example.com" };
const identity = `${owner.userId}:${owner.clientId}@${owner.domain}`;
const signers = Object.fromEntries(signatureScheme.options.map((scheme) => [scheme, newSigner(scheme)]));
const signerOf = (suite = 1) => signers[schemes.get(suite) ?? "ed25519"] ?? newSigner();
const mlsPublicKeys = Object.fromEntries(
  Object.entries(signers).map(([scheme, { raw }]) => [scheme, raw.toString("base64")]),
);
const device = {
  clientId: owner.clientId,
  type: "permanent" as const,
  capabilities: [],
  mlsPublicKeys,
  registeredAt: 0,
};

const make = (wish: Partial<KeyPackageWish> = {}) =>
  newKeyPackage({
    signer: signerOf(wish.suite),
    identity,
    notBefore: nowSeconds - 60,
    notAfter: nowSeconds + 86_400,
    ...wish,
  });
const accept = (bytes: Buffer, registered: typeof mlsPublicKeys = mlsPublicKeys) =>
  acceptKeyPackage(bytes, {
    owner,
    device: { ...device, mlsPublicKeys: registered },
    nowSeconds,
    maximumLifetimeSeconds: longestLifetime,
  });
const certificate = (key = signerOf().publicKey, uri = `app://${identity}`) => ({
  credential: {
    credentialType: "x509" as const,
    certificates: [newCertificate(key, newSigner().privateKey, { uris: [uri] }), randomBytes(500)],
  },
});

describe("an uploaded key package", () => {
  it("is accepted for each suite, with its reference and the end of its lifetime", async () => {
    for (const suite of schemes.keys()) {
      const bytes = await make({ suite });
      expect(accept(bytes)).toEqual({
        userId: owner.userId,
        clientId: owner.clientId,
        suite,
        reference: (await referenceOf(bytes)).toString("base64url"),
        bytes,
        purgeAtSeconds: nowSeconds + 86_400,
      });
    }
  });

  it.each<[string, Partial<KeyPackageWish>]>([
    ["84 days, as clients choose it", { notAfter: nowSeconds + 84 * 86_400 }],
    ["the longest that is allowed", { notBefore: 0, notAfter: nowSeconds + longestLifetime }],
    ["one that begins now", { notBefore: nowSeconds }],
  ])("may have a lifetime of %s", async (_, wish) => {
    expect(accept(await make(wish)).purgeAtSeconds).toBe(wish.notAfter ?? nowSeconds + 86_400);
  });

  it("may have a certificate of the device and its key instead of a name", async () => {
    expect(accept(await make(certificate())).suite).toBe(1);
    const { publicKey } = signerOf(2);
    expect(accept(await make({ suite: 2, ...certificate(publicKey) })).suite).toBe(2);
  });

  const update = { leafNodeSource: "update", groupId: randomBytes(16), leafIndex: 0 } as object;
  const commit = { ...update, leafNodeSource: "commit", parentHash: randomBytes(32) } as object;
  const noCredential = "The credential is not that of the device and its key";
  const noLeaf = "The leaf node is not one of a key package";
  const isTooLong = "The key package is valid for too long";

  it.each<[string, Partial<KeyPackageWish>]>([
    [noCredential, { identity: identity.replace("c0ffee", "c0ffe0") }],
    [noCredential, { identity: identity.replace(owner.userId, randomUUID()) }],
    [noCredential, certificate(signerOf().publicKey, `app://${identity}0`)],
    [noCredential, certificate(newSigner().publicKey)],
    [noCredential, certificate(signerOf(2).publicKey)],
    [noCredential, { credential: { credentialType: "x509", certificates: [] } }],
    ["Cipher suite 3 is not served", { suite: 3 }],
    ["Cipher suite 0 is not served", { suite: 0 }],
    ["The signature of the key package is wrong", { packageSigner: newSigner() }],
    [noLeaf, { leaf: update }],
    [noLeaf, { leaf: commit }],
    ["The key package is not valid yet", { notBefore: nowSeconds + 1 }],
    ["The key package has expired", { notAfter: nowSeconds }],
    ["The key package has expired", { notBefore: nowSeconds - 900, notAfter: nowSeconds - 600 }],
    [isTooLong, { notAfter: nowSeconds + longestLifetime + 1 }],
    [isTooLong, { notAfter: Number.MAX_SAFE_INTEGER }],
    ["The signature key is not the one that the device has registered", { signer: newSigner() }],
    ["The signature key is not one of ed25519", { signer: signerOf(2) }],
    ["The signature of the leaf node is wrong", { leafSigner: newSigner() }],
    ["The signature key is not one of ecdsa_secp256r1_sha256", { suite: 2, signer: signerOf(1) }],
  ])("is refused with '%s': %o", async (message, wish) => {
    const bytes = await make(wish);
    expect(() => accept(bytes)).toThrow(expect.objectContaining({ error: "mls-protocol-error", message }));
  });

  it("is refused until the device has registered a key for its signature scheme", async () => {
    const { ed25519: _, ...others } = mlsPublicKeys;
    const bytes = await make();
    expect(() => accept(bytes, others)).toThrow("The device has not registered a key for ed25519");
  });

  it("is refused when it is not a bare key package", async () => {
    const made = await make();
    const wrapped = Buffer.concat([Buffer.from("00010005", "hex"), made]);
    const ofVersion2 = Buffer.concat([Buffer.from("0002", "hex"), made.subarray(2)]);
    const longer = Buffer.concat([made, Buffer.of(0)]);
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(300), wrapped, ofVersion2, longer])
      expect(() => accept(bytes)).toThrow(expect.objectContaining({ error: "mls-protocol-error" }));
  });
});
