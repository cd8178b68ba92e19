import { readVersion } from "./key-package.ts";
import { skipExtensions } from "./leaf-node.ts";
import type { TlsReader } from "./tls-reader.ts";

/** `GroupContext` (RFC 9420 §8.1), on which the members of a group agree in each epoch. */
interface GroupContext {
  /** Number of the cipher suite, supported or not. */
  readonly suite: number;
  readonly groupId: Buffer;
  readonly epoch: bigint;
  readonly confirmedTranscriptHash: Buffer;
  /** All of it, as signatures cover it. */
  readonly bytes: Buffer;
}

/** `GroupInfo` (RFC 9420 §12.4.3), with which a device joins a group. */
export interface GroupInfo {
  readonly context: GroupContext;
  readonly confirmationTag: Buffer;
  /** Leaf of the member who signed it. */
  readonly signer: number;
  /** `GroupInfoTBS` */
  readonly signedBytes: Buffer;
  readonly signature: Buffer;
  /** All of it, without the framing of a message. */
  readonly bytes: Buffer;
}

/** Reads a group info. @throws MalformedStructureError */
export function readGroupInfo(reader: TlsReader): GroupInfo {
  const start = reader.position;
  const context = readGroupContext(reader);
  skipExtensions(reader);
  const confirmationTag = reader.opaque();
  const signer = reader.uint32();
  const signedBytes = reader.since(start);
  const signature = reader.opaque();
  return { context, confirmationTag, signer, signedBytes, signature, bytes: reader.since(start) };
}

function readGroupContext(reader: TlsReader): GroupContext {
  const start = reader.position;
  readVersion(reader);
  const suite = reader.uint16();
  const groupId = reader.opaque();
  const epoch = reader.uint64();
  reader.skipOpaque(); // tree_hash
  const confirmedTranscriptHash = reader.opaque();
  skipExtensions(reader);
  return { suite, groupId, epoch, confirmedTranscriptHash, bytes: reader.since(start) };
}
