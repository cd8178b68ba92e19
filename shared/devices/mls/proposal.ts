import { type KeyPackage, readKeyPackage, readVersion } from "./key-package.ts";
import { type LeafNode, readLeafNode, skipExtensions } from "./leaf-node.ts";
import { MalformedStructureError, TlsReader } from "./tls-reader.ts";

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
