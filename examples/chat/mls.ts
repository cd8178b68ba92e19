// The cryptography of a device (RFC 9420): these functions make messages and read them. They neither send nor store.
import {
  type CiphersuiteImpl,
  type ClientState,
  createApplicationMessage,
  createCommit,
  createGroup,
  createGroupInfoWithExternalPubAndRatchetTree,
  decodeGroupState,
  decodeMlsMessage,
  defaultCapabilities,
  defaultCryptoProvider,
  emptyPskIndex,
  encodeExternalSender,
  encodeGroupState,
  encodeMlsMessage,
  generateKeyPackageWithKey,
  getCiphersuiteFromName,
  joinGroup,
  joinGroupExternal,
  type KeyPackage,
  type MLSMessage,
  type PrivateKeyPackage,
  processPrivateMessage,
  processPublicMessage,
  type Welcome,
} from "ts-mls";
import { defaultClientConfig } from "ts-mls/clientConfig.js";
import { decodeGroupInfo, ratchetTreeFromExtension } from "ts-mls/groupInfo.js";
import { decodeKeyPackage, encodeKeyPackage, makeKeyPackageRef } from "ts-mls/keyPackage.js";
import type { StoredDevice, StoredPackage } from "./store.ts";

/** Cipher suite 1. */
const suiteName = "MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519";
const version = "mls10";
const daySeconds = 86_400;
const packageDays = 14;

type Bytes = Uint8Array<ArrayBuffer>;
export type Group = ClientState;

/** A commit that the service has yet to accept. The next epoch begins only then. */
export interface Commit {
  /** The commit, the new group info, and the welcome if devices are added. */
  readonly bundle: Bytes;
  readonly next: Group;
}

const encoder = new TextEncoder();

let loaded: Promise<CiphersuiteImpl> | undefined;
const suite = () => {
  loaded ??= defaultCryptoProvider.getCiphersuiteImpl(getCiphersuiteFromName(suiteName));
  return loaded;
};

export async function newSignatureKeys(): Promise<{ signKey: Uint8Array; publicKey: Uint8Array }> {
  return (await suite()).signature.keygen();
}

/** Make a key package, by which others can add the device to a group, once. */
export async function newKeyPackage(device: StoredDevice): Promise<StoredPackage> {
  const { publicPackage, privatePackage } = await makePackage(device);
  const reference = await makeKeyPackageRef(publicPackage, (await suite()).hash);
  return { id: toHex(reference), encoded: encodeKeyPackage(publicPackage), privatePackage };
}

async function makePackage(device: StoredDevice) {
  const now = Math.floor(Date.now() / 1000);
  // The service expects `user:client@domain` in the device's credential.
  const identity = encoder.encode(`${device.userId}:${device.clientId}@${device.domain}`);
  return generateKeyPackageWithKey(
    { credentialType: "basic", identity },
    defaultCapabilities(),
    { notBefore: BigInt(now - 60), notAfter: BigInt(now + packageDays * daySeconds) },
    [],
    device,
    await suite(),
  );
}

/**
 * Begin a group on this device alone.
 * @param removalKey with which the service signs proposals to remove devices
 */
export async function newGroup(
  device: StoredDevice,
  groupId: Uint8Array,
  removalKey: Uint8Array,
): Promise<Group> {
  const { publicPackage, privatePackage } = await makePackage(device);
  const sender = {
    signaturePublicKey: removalKey,
    credential: { credentialType: "basic", identity: encoder.encode("service") },
  } as const;
  const extension = {
    extensionType: "external_senders",
    extensionData: encodeExternalSender(sender),
  } as const;
  return createGroup(groupId, publicPackage, privatePackage, [extension], await suite());
}

/** Make a commit that adds devices, and applies pending proposals. */
export async function commitTo(group: Group, keyPackages: readonly Uint8Array[] = []): Promise<Commit> {
  const extraProposals = keyPackages.map((encoded) => ({
    proposalType: "add" as const,
    add: { keyPackage: packageIn(encoded) },
  }));
  const { commit, welcome, newState } = await createCommit(
    { state: group, cipherSuite: await suite() },
    { extraProposals, wireAsPublicMessage: true, ratchetTreeExtension: true },
  );
  return { bundle: await bundleOf(commit, newState, welcome), next: newState };
}

/**
 * Make the commit by which a device joins a group by itself.
 * @param groupInfo the latest of the service
 */
export async function joinByCommit(device: StoredDevice, groupInfo: Uint8Array): Promise<Commit> {
  const [info] = decodeGroupInfo(groupInfo, 0) ?? [];
  if (info === undefined) throw new Error("Not a group info");
  const { publicPackage, privatePackage } = await makePackage(device);
  // If the page was closed before it stored the state, the device replaces its own leaf.
  const ownKey = toHex(device.publicKey);
  const isRejoining = ratchetTreeFromExtension(info)?.some(
    (node) => node?.nodeType === "leaf" && toHex(node.leaf.signaturePublicKey) === ownKey,
  );
  const { publicMessage, newState } = await joinGroupExternal(
    info,
    publicPackage,
    privatePackage,
    isRejoining ?? false,
    await suite(),
  );
  const commit = { wireformat: "mls_public_message", version, publicMessage } as const;
  return { bundle: await bundleOf(commit, newState, undefined), next: newState };
}

async function bundleOf(commit: MLSMessage, next: Group, welcome: Welcome | undefined): Promise<Bytes> {
  const groupInfo = await createGroupInfoWithExternalPubAndRatchetTree(next, [], await suite());
  return joined(
    encodeMlsMessage(commit),
    encodeMlsMessage({ wireformat: "mls_group_info", version, groupInfo }),
    ...(welcome === undefined ? [] : [encodeMlsMessage({ wireformat: "mls_welcome", version, welcome })]),
  );
}

/**
 * Join the group of a welcome.
 * @param packages key packages that the device has not used yet
 */
export async function joinByWelcome(
  message: Uint8Array,
  packages: readonly StoredPackage[],
): Promise<{ group: Group; usedPackage: string }> {
  const decoded = decode(message);
  if (decoded.wireformat !== "mls_welcome") throw new Error("Not a welcome");
  const wanted = new Set(decoded.welcome.secrets.map(({ newMember }) => toHex(newMember)));
  const own = packages.find(({ id }) => wanted.has(id));
  if (own === undefined) throw new Error("The welcome is for another device");
  const group = await joinGroup(
    decoded.welcome,
    packageIn(own.encoded),
    own.privatePackage as PrivateKeyPackage,
    emptyPskIndex,
    await suite(),
  );
  return { group, usedPackage: own.id };
}

/** Encrypt a text for the group. The state that follows must be stored before the message is sent: a key is used once. */
export async function encrypt(group: Group, text: string): Promise<{ message: Bytes; next: Group }> {
  const made = await createApplicationMessage(group, encoder.encode(text), await suite());
  const { newState: next, privateMessage } = made;
  return {
    message: joined(encodeMlsMessage({ wireformat: "mls_private_message", version, privateMessage })),
    next,
  };
}

/** Read a message of the group: a commit, a proposal, or a text. @returns the text, if it is one */
export async function read(
  group: Group,
  message: Uint8Array,
): Promise<{ next: Group; text: string | undefined }> {
  const decoded = decode(message);
  if (decoded.wireformat === "mls_public_message") {
    const { newState } = await processPublicMessage(
      group,
      decoded.publicMessage,
      emptyPskIndex,
      await suite(),
    );
    return { next: newState, text: undefined };
  }
  if (decoded.wireformat !== "mls_private_message") throw new Error(`Unexpected ${decoded.wireformat}`);
  const result = await processPrivateMessage(group, decoded.privateMessage, emptyPskIndex, await suite());
  const text = result.kind === "applicationMessage" ? new TextDecoder().decode(result.message) : undefined;
  return { next: result.newState, text };
}

/** Whether a proposal is pending, which must be committed before the next message. */
export const hasProposals = ({ unappliedProposals }: Group): boolean =>
  Object.keys(unappliedProposals).length > 0;

export const encodeGroup = (group: Group): Uint8Array => encodeGroupState(group);

export function decodeGroup(bytes: Uint8Array): Group {
  const [state] = decodeGroupState(bytes, 0) ?? [];
  if (state === undefined) throw new Error("The state of the group is damaged");
  return { ...state, clientConfig: defaultClientConfig };
}

function packageIn(encoded: Uint8Array): KeyPackage {
  const [keyPackage] = decodeKeyPackage(encoded, 0) ?? [];
  if (keyPackage === undefined) throw new Error("Not a key package");
  return keyPackage;
}

function decode(bytes: Uint8Array): MLSMessage {
  const [message] = decodeMlsMessage(bytes, 0) ?? [];
  if (message === undefined) throw new Error("Not an MLS message");
  return message;
}

export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Concatenate parts. */
export function joined(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
