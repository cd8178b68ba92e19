import { createHash, type KeyObject } from "node:crypto";
import type { Device } from "#shared/devices/device.ts";
import type { CipherSuite, SignatureScheme } from "#shared/devices/mls/cipher-suites.ts";
import { deviceNamedBy } from "#shared/devices/mls/credential-identity.ts";
import type { Group } from "#shared/devices/mls/group.ts";
import type { GroupInfo } from "#shared/devices/mls/group-info.ts";
import type { KeyPackage } from "#shared/devices/mls/key-package.ts";
import { type LeafNode, placedLeaf } from "#shared/devices/mls/leaf-node.ts";
import { type Leaf, leafOf } from "#shared/devices/mls/leaves.ts";
import type { PublicMessage } from "#shared/devices/mls/mls-message.ts";
import { toPublicKey, verifyWithLabel } from "#shared/devices/mls/signature-key.ts";
import { encodeOpaque } from "#shared/devices/mls/tls-reader.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { protocolError } from "./protocol-error.ts";

type Keys = Pick<Device, "mlsPublicKeys">;

/** The key that a device has registered for a signature scheme. */
export function registeredKey({ mlsPublicKeys }: Keys, scheme: SignatureScheme): KeyObject | undefined {
  const registered = mlsPublicKeys[scheme];
  return registered === undefined ? undefined : toPublicKey(scheme, Buffer.from(registered, "base64"));
}

/**
 * Check that a leaf has the key that its device has registered, if it has registered one.
 * @throws ApiError `mls-identity-mismatch`
 */
export function checkRegistered(
  leafNode: Pick<LeafNode, "signatureKey">,
  device: Keys,
  scheme: SignatureScheme,
): void {
  if (!hasRegisteredKey(leafNode, device, scheme))
    throw new ApiError("mls-identity-mismatch", {
      message: "The signature key is not the one that the device has registered",
    });
}

/** Whether a leaf has the key that its device has registered, or the device has registered none. */
export function hasRegisteredKey(
  { signatureKey }: Pick<LeafNode, "signatureKey">,
  { mlsPublicKeys }: Keys,
  scheme: SignatureScheme,
): boolean {
  const registered = mlsPublicKeys[scheme];
  return registered === undefined || signatureKey.equals(Buffer.from(registered, "base64"));
}

/**
 * Check that a message of a member comes from the leaf of the device that sends it.
 * @throws ApiError `mls-protocol-error`, `mls-client-sender-user-mismatch`
 */
export function checkSenderLeaf(group: Pick<Group, "leaves">, leafIndex: number, device: Leaf): void {
  if (!group.leaves.has(leafIndex)) throw protocolError("No device of the group has the sender's leaf");
  if (leafOf(group.leaves, device) !== leafIndex) throw new ApiError("mls-client-sender-user-mismatch");
}

/**
 * Check the signature of a public message (RFC 9420 §6.1).
 *
 * @param signer.groupContext of the epoch; absent for proposals of new members, whose signatures do not cover it
 * @throws ApiError `mls-protocol-error`
 */
export function verifyMessage(
  { signedBytes, signature }: Pick<PublicMessage, "signedBytes" | "signature">,
  { scheme, key, groupContext }: { scheme: SignatureScheme; key: KeyObject; groupContext?: Uint8Array },
): void {
  const content = groupContext === undefined ? signedBytes : Buffer.concat([signedBytes, groupContext]);
  if (!verifyWithLabel(scheme, key, { label: "FramedContentTBS", content, signature }))
    throw protocolError("The signature of the message is wrong");
}

/** As much as an upload of key packages takes. */
const maxKeyPackageBytes = 16_500;

/** A device that a key package adds. */
export interface Addition extends Leaf {
  readonly leafNode: LeafNode;
  readonly keyPackage: KeyPackage;
  /** Key of the leaf. */
  readonly key: KeyObject;
}

/**
 * Read which device a key package adds to a group; `verifyAddition` checks its signatures.
 * @throws ApiError `mls-protocol-error`, `mls-unsupported-proposal` when it names no device of this service
 */
export function readAddition(
  keyPackage: KeyPackage,
  expected: { readonly number: number; readonly suite: CipherSuite; readonly settings: Settings },
): Addition {
  const { suite, leafNode } = keyPackage;
  const { signatureScheme: scheme } = expected.suite;
  if (keyPackage.signedBytes.length > maxKeyPackageBytes) throw protocolError("A key package is too large");
  if (suite !== expected.number) throw protocolError("A key package is of another cipher suite");
  if (leafNode.source !== "key-package")
    throw protocolError("A key package has a leaf node of another source");
  const key = keyOf(leafNode, scheme);
  const named = deviceNamedBy(leafNode.credential, key);
  if (named === undefined || named.domain !== expected.settings.domain)
    throw new ApiError("mls-unsupported-proposal", {
      message: "A key package names no device of this service",
    });
  return { userId: named.userId, clientId: named.clientId, leafNode, keyPackage, key };
}

/**
 * Check the signatures of a key package that adds a device, but not its lifetime.
 * @throws ApiError `mls-protocol-error`
 */
export function verifyAddition(
  { keyPackage: { signedBytes, signature }, leafNode, key }: Addition,
  { signatureScheme: scheme }: CipherSuite,
): void {
  if (!verifyWithLabel(scheme, key, { label: "KeyPackageTBS", content: signedBytes, signature }))
    throw protocolError("The signature of a key package is wrong");
  verifyLeaf(leafNode, leafNode.signedBytes, { scheme, key });
}

/**
 * Check the leaf of an update path or of a proposal to update a leaf, which is that of the sending device.
 * @throws ApiError `mls-protocol-error`, `mls-identity-mismatch`
 */
export function verifyOwnLeaf(
  leafNode: LeafNode,
  {
    source,
    device,
    own,
    place,
    scheme,
    settings,
  }: {
    readonly source: "commit" | "update";
    readonly device: Leaf;
    readonly own: Keys;
    readonly place: { readonly groupId: Buffer; readonly leafIndex: number };
    readonly scheme: SignatureScheme;
    readonly settings: Settings;
  },
): KeyObject {
  if (leafNode.source !== source) throw protocolError("A leaf node is of another source");
  const key = keyOf(leafNode, scheme);
  const named = deviceNamedBy(leafNode.credential, key);
  if (
    named?.userId !== device.userId ||
    named.clientId !== device.clientId ||
    named.domain !== settings.domain
  )
    throw protocolError("A leaf node is not that of the sending device");
  verifyLeaf(leafNode, placedLeaf(leafNode, place.groupId, place.leafIndex), { scheme, key });
  checkRegistered(leafNode, own, scheme);
  return key;
}

function keyOf({ signatureKey }: LeafNode, scheme: SignatureScheme): KeyObject {
  const key = toPublicKey(scheme, signatureKey);
  if (key === undefined) throw protocolError(`A signature key is not one of ${scheme}`);
  return key;
}

function verifyLeaf(
  { signature }: LeafNode,
  content: Buffer,
  { scheme, key }: { scheme: SignatureScheme; key: KeyObject },
): void {
  if (!verifyWithLabel(scheme, key, { label: "LeafNodeTBS", content, signature }))
    throw protocolError("The signature of a leaf node is wrong");
}

/**
 * Check that a group info describes the epoch that a commit begins, and that the committer has signed it. Otherwise,
 * devices that join by it could be locked out.
 *
 * @param commit.key undefined when the committer's key is not known
 * @throws ApiError `mls-protocol-error`
 */
export function verifyGroupInfo(
  { context, confirmationTag, signer, signedBytes, signature }: GroupInfo,
  {
    message,
    leafIndex,
    key,
    group,
    suite,
  }: {
    readonly message: PublicMessage;
    /** Leaf of the committer in the new epoch. */
    readonly leafIndex: number;
    readonly key: KeyObject | undefined;
    readonly group: Group | undefined;
    readonly suite: CipherSuite;
  },
): void {
  if (!context.groupId.equals(message.groupId)) throw protocolError("The group info is of another group");
  if (context.epoch !== message.epoch + 1n)
    throw protocolError("The group info is not of the epoch after the commit");
  if (message.confirmationTag === undefined || !confirmationTag.equals(message.confirmationTag))
    throw protocolError("The confirmation tags of commit and group info differ");
  if (group !== undefined && !context.confirmedTranscriptHash.equals(transcriptAfter(group, message, suite)))
    throw protocolError("The transcript hash of the group info is not that after the commit");
  if (signer !== leafIndex) throw protocolError("The group info is not signed by the committer");
  const { signatureScheme: scheme } = suite;
  if (
    key !== undefined &&
    !verifyWithLabel(scheme, key, { label: "GroupInfoTBS", content: signedBytes, signature })
  )
    throw protocolError("The signature of the group info is wrong");
}

/** `confirmed_transcript_hash` after a commit (RFC 9420 §8.2). */
function transcriptAfter(
  { confirmedTranscriptHash, confirmationTag }: Group,
  { transcriptBytes }: PublicMessage,
  { hash }: CipherSuite,
): Buffer {
  const interim = createHash(hash)
    .update(confirmedTranscriptHash)
    .update(encodeOpaque(confirmationTag))
    .digest();
  return createHash(hash).update(interim).update(transcriptBytes).digest();
}
