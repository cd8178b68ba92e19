import type { KeyObject } from "node:crypto";
import type { Device } from "#shared/devices/device.ts";
import type { PooledKeyPackage } from "#shared/devices/key-package-store.ts";
import { type CipherSuite, cipherSuites, type SignatureScheme } from "#shared/devices/mls/cipher-suites.ts";
import { type DeviceIdentity, isCredentialOf } from "#shared/devices/mls/credential-identity.ts";
import { decodeKeyPackage, type KeyPackage, keyPackageReference } from "#shared/devices/mls/key-package.ts";
import type { LeafNode, Lifetime } from "#shared/devices/mls/leaf-node.ts";
import { toPublicKey, verifyWithLabel } from "#shared/devices/mls/signature-key.ts";
import { MalformedStructureError } from "#shared/devices/mls/tls-reader.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";

/** The data against which a key package is checked. */
export interface Expectation {
  readonly owner: DeviceIdentity;
  readonly device: Device;
  readonly nowSeconds: number;
  readonly maximumLifetimeSeconds: number;
}

/**
 * Check an uploaded key package as far as a service can: it belongs to its device, is signed and currently valid (RFC
 * 9420 §7.3, §10.1). The cheapest checks come first, and signatures last.
 *
 * @throws ApiError `mls-protocol-error`
 */
export function acceptKeyPackage(bytes: Buffer, expectation: Expectation): PooledKeyPackage {
  const { owner, device } = expectation;
  const keyPackage = decode(bytes);
  const { leafNode } = keyPackage;
  const suite = servedSuite(keyPackage.suite);
  const scheme = suite.signatureScheme;
  const lifetime = lifetimeOf(leafNode);
  checkLifetime(lifetime, expectation);
  const leafKey = readLeafKey(leafNode, scheme);
  checkRegisteredKey(leafNode, scheme, device);
  checkCredential(leafNode, owner, leafKey);
  checkPackageSignature(keyPackage, scheme, leafKey);
  checkLeafSignature(leafNode, scheme, leafKey);
  return {
    userId: owner.userId,
    clientId: owner.clientId,
    suite: keyPackage.suite,
    reference: keyPackageReference(bytes, suite).toString("base64url"),
    bytes,
    purgeAtSeconds: Number(lifetime.notAfter),
  };
}

const refusal = (message: string, cause?: unknown) => new ApiError("mls-protocol-error", { message, cause });

function decode(bytes: Buffer): KeyPackage {
  try {
    return decodeKeyPackage(bytes);
  } catch (error) {
    if (!(error instanceof MalformedStructureError)) throw error;
    throw refusal(`Not a key package: ${error.message}`, error);
  }
}

function readLeafKey({ signatureKey }: LeafNode, scheme: SignatureScheme): KeyObject {
  const key = toPublicKey(scheme, signatureKey);
  if (key === undefined) throw refusal(`The signature key is not one of ${scheme}`);
  return key;
}

function checkCredential({ credential }: LeafNode, owner: DeviceIdentity, leafKey: KeyObject): void {
  if (!isCredentialOf(credential, owner, leafKey))
    throw refusal("The credential is not that of the device and its key");
}

function checkPackageSignature(
  { signedBytes, signature }: KeyPackage,
  scheme: SignatureScheme,
  key: KeyObject,
): void {
  if (!verifyWithLabel(scheme, key, { label: "KeyPackageTBS", content: signedBytes, signature }))
    throw refusal("The signature of the key package is wrong");
}

function lifetimeOf({ lifetime }: LeafNode): Lifetime {
  if (lifetime === undefined) throw refusal("The leaf node is not one of a key package");
  return lifetime;
}

function checkLeafSignature(
  { signedBytes, signature }: LeafNode,
  scheme: SignatureScheme,
  key: KeyObject,
): void {
  if (!verifyWithLabel(scheme, key, { label: "LeafNodeTBS", content: signedBytes, signature }))
    throw refusal("The signature of the leaf node is wrong");
}

function checkLifetime(
  { notBefore, notAfter }: Lifetime,
  { nowSeconds, maximumLifetimeSeconds }: Expectation,
): void {
  if (notBefore > nowSeconds) throw refusal("The key package is not valid yet");
  if (notAfter <= nowSeconds) throw refusal("The key package has expired");
  if (notAfter > nowSeconds + maximumLifetimeSeconds) throw refusal("The key package is valid for too long");
}

function checkRegisteredKey(
  { signatureKey }: LeafNode,
  scheme: SignatureScheme,
  { mlsPublicKeys }: Device,
): void {
  const registered = mlsPublicKeys[scheme];
  if (registered === undefined) throw refusal(`The device has not registered a key for ${scheme}`);
  if (!signatureKey.equals(Buffer.from(registered, "base64")))
    throw refusal("The signature key is not the one that the device has registered");
}

/** Look up a cipher suite by its number. @throws ApiError `mls-protocol-error` when it is not served */
export function servedSuite(number: number): CipherSuite {
  const suite = cipherSuites.get(number);
  if (suite === undefined) {
    throw new ApiError("mls-protocol-error", { message: `Cipher suite ${number} is not served` });
  }
  return suite;
}
