import { createHash } from "node:crypto";
import type { CipherSuite } from "./cipher-suites.ts";
import { type LeafNode, readLeafNode, skipExtensions } from "./leaf-node.ts";
import { encodeOpaque, MalformedStructureError, TlsReader } from "./tls-reader.ts";

/** The parts of a key package (RFC 9420 §10) that the service reads. */
export interface KeyPackage {
  /** Number of the cipher suite, supported or not. */
  readonly suite: number;
  readonly leafNode: LeafNode;
  /** `KeyPackageTBS` */
  readonly signedBytes: Buffer;
  readonly signature: Buffer;
}

/** Reads `ProtocolVersion`. @throws MalformedStructureError for any other than MLS 1.0 */
export function readVersion(reader: TlsReader): void {
  if (reader.uint16() !== 1) throw new MalformedStructureError("a version other than MLS 1.0");
}

/** Reads a key package. @throws MalformedStructureError */
export function readKeyPackage(reader: TlsReader): KeyPackage {
  const start = reader.position;
  readVersion(reader);
  const suite = reader.uint16();
  reader.skipOpaque(); // init_key
  const leafNode = readLeafNode(reader);
  skipExtensions(reader);
  const signedBytes = reader.since(start);
  return { suite, leafNode, signedBytes, signature: reader.opaque() };
}

/** Decode a bare key package, not one in an `MLSMessage`. @throws MalformedStructureError, and nothing else */
export function decodeKeyPackage(bytes: Buffer): KeyPackage {
  const reader = new TlsReader(bytes);
  const keyPackage = readKeyPackage(reader);
  reader.end();
  return keyPackage;
}

const referenceLabel = encodeOpaque(Buffer.from("MLS 1.0 KeyPackage Reference"));

/** The `KeyPackageRef` of an encoded key package (RFC 9420 §5.2). */
export const keyPackageReference = (bytes: Buffer, { hash }: CipherSuite): Buffer =>
  createHash(hash).update(referenceLabel).update(encodeOpaque(bytes)).digest();
