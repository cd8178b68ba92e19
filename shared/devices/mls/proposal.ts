import type { KeyObject } from "node:crypto";
import type { SignatureScheme } from "./cipher-suites.ts";
import { type KeyPackage, readKeyPackage, readVersion } from "./key-package.ts";
import { type LeafNode, readLeafNode, skipExtensions } from "./leaf-node.ts";
import { signWithLabel } from "./signature-key.ts";
import { encodeOpaque, MalformedStructureError, TlsReader } from "./tls-reader.ts";

/** A proposal (RFC 9420 §12.1), as far as the service reads it. */
export type Proposal =
  | { readonly kind: "add"; readonly keyPackage: KeyPackage }
  | { readonly kind: "update"; readonly leafNode: LeafNode }
  | { readonly kind: "remove"; readonly leafIndex: number }
  | { readonly kind: "psk" | "reinit" | "external-init" | "group-context-extensions" };

/** Reads a proposal of one of the kinds of the RFC; others have no known length. @throws MalformedStructureError */
export function readProposal(reader: TlsReader): Proposal {
  switch (reader.uint16()) {
    case 1:
      return { kind: "add", keyPackage: readKeyPackage(reader) };
    case 2:
      return { kind: "update", leafNode: readLeafNode(reader) };
    case 3:
      return { kind: "remove", leafIndex: reader.uint32() };
    case 4:
      skipPreSharedKeyId(reader);
      return { kind: "psk" };
    case 5:
      reader.skipOpaque(); // group_id
      readVersion(reader);
      reader.uint16(); // cipher_suite
      skipExtensions(reader);
      return { kind: "reinit" };
    case 6:
      reader.skipOpaque(); // kem_output
      return { kind: "external-init" };
    case 7:
      skipExtensions(reader);
      return { kind: "group-context-extensions" };
    default:
      throw new MalformedStructureError("a proposal of an unknown kind");
  }
}

/** Decode a proposal alone. @throws MalformedStructureError, and nothing else */
export function decodeProposal(bytes: Buffer): Proposal {
  const reader = new TlsReader(bytes);
  const proposal = readProposal(reader);
  reader.end();
  return proposal;
}

/** `PreSharedKeyID` (RFC 9420 §8.4) */
function skipPreSharedKeyId(reader: TlsReader): void {
  switch (reader.uint8()) {
    case 1:
      reader.skipOpaque(); // psk_id
      break;
    case 2:
      reader.uint8(); // usage
      reader.skipOpaque(); // psk_group_id
      reader.uint64(); // psk_epoch
      break;
    default:
      throw new MalformedStructureError("a pre-shared key of an unknown type");
  }
  reader.skipOpaque(); // psk_nonce
}

/**
 * Make a proposal to remove a leaf, as a public message of the group's external sender, which is the service (RFC 9420
 * §6, §12.1.3, §12.1.8.1). @returns the whole MLSMessage
 */
export function makeRemovalProposal(
  { groupId, epoch, leafIndex }: { groupId: Buffer; epoch: number; leafIndex: number },
  { scheme, key }: { scheme: SignatureScheme; key: KeyObject },
): Buffer {
  const numbers = Buffer.alloc(8 + 1 + 4);
  numbers.writeBigUInt64BE(BigInt(epoch), 0);
  numbers.writeUInt8(2, 8); // SenderType external, with index 0
  const content = Buffer.alloc(1 + 1 + 2 + 4); // authenticated_data, which is empty, precedes the content
  content.writeUInt8(2, 1); // ContentType proposal
  content.writeUInt16BE(3, 2); // ProposalType remove
  content.writeUInt32BE(leafIndex, 4);
  const framing = Buffer.from([0, 1, 0, 1]); // MLS 1.0, mls_public_message
  const signed = Buffer.concat([framing, encodeOpaque(groupId), numbers, content]);
  const signature = signWithLabel(scheme, key, { label: "FramedContentTBS", content: signed });
  return Buffer.concat([signed, encodeOpaque(signature)]);
}
