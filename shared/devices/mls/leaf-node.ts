import { encodeOpaque, MalformedStructureError, type TlsReader } from "./tls-reader.ts";

/**
 * The identity that a leaf claims (RFC 9420 §5.3): a bare identity, or a chain of DER certificates starting with its
 * own.
 */
export type Credential =
  | { readonly type: "basic"; readonly identity: Buffer }
  | { readonly type: "x509"; readonly certificates: readonly Buffer[] };

/** Validity in unix seconds, both inclusive. */
export interface Lifetime {
  readonly notBefore: bigint;
  readonly notAfter: bigint;
}

/** The parts of a leaf node (RFC 9420 §7.2) that the service reads. */
export interface LeafNode {
  /** Raw public key in the form of the suite's signature scheme. */
  readonly signatureKey: Buffer;
  readonly credential: Credential;
  readonly source: LeafNodeSource;
  /** Only in leaves of key packages, not of updates and commits. */
  readonly lifetime: Lifetime | undefined;
  /** `LeafNodeTBS`, to which leaves of updates and commits add their place; see `placedLeaf`. */
  readonly signedBytes: Buffer;
  readonly signature: Buffer;
}

const credentialTypes = { basic: 1, x509: 2 };
/** The source of a leaf node. */
type LeafNodeSource = "key-package" | "update" | "commit";

/** Reads a leaf node. @throws MalformedStructureError */
export function readLeafNode(reader: TlsReader): LeafNode {
  const start = reader.position;
  reader.skipOpaque(); // encryption_key
  const signatureKey = reader.opaque();
  const credential = readCredential(reader);
  skipCapabilities(reader);
  const { source, lifetime } = readSource(reader);
  skipExtensions(reader);
  const signedBytes = reader.since(start);
  return { signatureKey, credential, source, lifetime, signedBytes, signature: reader.opaque() };
}

/** The bytes that the signature of a leaf node of an update or commit covers: the leaf and its place. */
export function placedLeaf({ signedBytes }: LeafNode, groupId: Buffer, leafIndex: number): Buffer {
  const index = Buffer.alloc(4);
  index.writeUInt32BE(leafIndex);
  return Buffer.concat([signedBytes, encodeOpaque(groupId), index]);
}

/** Skips `Extension extensions<V>` (RFC 9420 §7.2), which only concern clients. @throws MalformedStructureError */
export function skipExtensions(reader: TlsReader): void {
  reader.skipVector((extension) => {
    extension.uint16();
    extension.skipOpaque();
  });
}

function readCredential(reader: TlsReader): Credential {
  switch (reader.uint16()) {
    case credentialTypes.basic:
      return { type: "basic", identity: reader.opaque() };
    case credentialTypes.x509:
      return { type: "x509", certificates: reader.vector((certificate) => certificate.opaque()) };
    default:
      throw new MalformedStructureError("a credential of an unknown type");
  }
}

/** Versions, cipher suites, extensions, proposals, credentials: five lists of numbers. */
function skipCapabilities(reader: TlsReader): void {
  for (let list = 0; list < 5; list++) reader.skipVector((entry) => entry.uint16());
}

function readSource(reader: TlsReader): Pick<LeafNode, "source" | "lifetime"> {
  switch (reader.uint8()) {
    case 1:
      return {
        source: "key-package",
        lifetime: { notBefore: reader.uint64(), notAfter: reader.uint64() },
      };
    case 2:
      return { source: "update", lifetime: undefined };
    case 3:
      reader.skipOpaque(); // parent_hash
      return { source: "commit", lifetime: undefined };
    default:
      throw new MalformedStructureError("a leaf node of an unknown source");
  }
}
