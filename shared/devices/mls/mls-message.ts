import { createHash } from "node:crypto";
import type { CipherSuite } from "./cipher-suites.ts";
import { type GroupInfo, readGroupInfo } from "./group-info.ts";
import { type KeyPackage, readKeyPackage, readVersion } from "./key-package.ts";
import { type LeafNode, readLeafNode } from "./leaf-node.ts";
import { type Proposal, readProposal } from "./proposal.ts";
import { encodeOpaque, MalformedStructureError, TlsReader } from "./tls-reader.ts";

/** The sender of a public message (RFC 9420 §6). */
type Sender =
  | { readonly type: "member"; readonly leafIndex: number }
  | { readonly type: "external" | "new-member-proposal" | "new-member-commit" };

/** A commit (RFC 9420 §12.4). */
export interface Commit {
  readonly proposals: readonly (
    | { readonly proposal: Proposal }
    /** Names a proposal that was sent before. */
    | { readonly reference: Buffer }
  )[];
  /** The committer's new leaf, when the commit has an update path. */
  readonly pathLeaf: LeafNode | undefined;
}

type Content =
  | { readonly type: "application" }
  | { readonly type: "proposal"; readonly proposal: Proposal; readonly bytes: Buffer }
  | { readonly type: "commit"; readonly commit: Commit };

interface Whole {
  /** The message with its framing, as it is passed on. */
  readonly bytes: Buffer;
}

/** A message that everybody can read (RFC 9420 §6.2). */
export interface PublicMessage extends Whole {
  readonly kind: "public";
  readonly groupId: Buffer;
  readonly epoch: bigint;
  readonly sender: Sender;
  readonly content: Content;
  /** `FramedContentTBS`, to which messages of members and new members add the group context. */
  readonly signedBytes: Buffer;
  readonly signature: Buffer;
  /** Commits only. */
  readonly confirmationTag: Buffer | undefined;
  /** `AuthenticatedContent`, of which the reference of a proposal is the hash. */
  readonly authenticatedBytes: Buffer;
  /** `ConfirmedTranscriptHashInput` */
  readonly transcriptBytes: Buffer;
}

/** A message that only members can read (RFC 9420 §6.3). */
export interface PrivateMessage extends Whole {
  readonly kind: "private";
  readonly groupId: Buffer;
  readonly epoch: bigint;
  readonly isApplication: boolean;
}

/** `MLSMessage` (RFC 9420 §6), as far as the service reads it. */
export type MlsMessage =
  | PublicMessage
  | PrivateMessage
  | (Whole & { readonly kind: "welcome"; readonly suite: number })
  | (Whole & { readonly kind: "group-info"; readonly groupInfo: GroupInfo })
  | (Whole & { readonly kind: "key-package"; readonly keyPackage: KeyPackage });

/** Decode a message. @throws MalformedStructureError, and nothing else */
export function decodeMlsMessage(bytes: Buffer): MlsMessage {
  const reader = new TlsReader(bytes);
  const message = readMlsMessage(reader);
  reader.end();
  return message;
}

/** One upload has a commit, a group info and a welcome, so there may be one more. */
const mostMessages = 4;

/** Decode messages that follow one another, up to four. @throws MalformedStructureError, and nothing else */
export const decodeMlsMessages = (bytes: Buffer): MlsMessage[] =>
  new TlsReader(bytes).all(readMlsMessage, mostMessages);

/** The `ProposalRef` of a message with a proposal (RFC 9420 §5.2). */
export const proposalReference = (
  { authenticatedBytes }: Pick<PublicMessage, "authenticatedBytes">,
  { hash }: CipherSuite,
): Buffer => createHash(hash).update(proposalLabel).update(encodeOpaque(authenticatedBytes)).digest();

const proposalLabel = encodeOpaque(Buffer.from("MLS 1.0 Proposal Reference"));

function readMlsMessage(reader: TlsReader): MlsMessage {
  const start = reader.position;
  readVersion(reader);
  switch (reader.uint16()) {
    case 1:
      return readPublicMessage(reader, start);
    case 2:
      return { kind: "private", ...readPrivateMessage(reader), bytes: reader.since(start) };
    case 3:
      return { kind: "welcome", suite: readWelcome(reader), bytes: reader.since(start) };
    case 4:
      return { kind: "group-info", groupInfo: readGroupInfo(reader), bytes: reader.since(start) };
    case 5:
      return { kind: "key-package", keyPackage: readKeyPackage(reader), bytes: reader.since(start) };
    default:
      throw new MalformedStructureError("a message of an unknown wire format");
  }
}

/** Bytes of `ProtocolVersion`, which some signed or hashed structures leave out. */
const versionLength = 2;

function readPublicMessage(reader: TlsReader, start: number): PublicMessage {
  const groupId = reader.opaque();
  const epoch = reader.uint64();
  const sender = readSender(reader);
  reader.skipOpaque(); // authenticated_data
  const content = readContent(reader);
  const signedBytes = reader.since(start);
  const signature = reader.opaque();
  const transcriptBytes = reader.since(start).subarray(versionLength);
  const confirmationTag = content.type === "commit" ? reader.opaque() : undefined;
  const authenticatedBytes = reader.since(start).subarray(versionLength);
  if (sender.type === "member") reader.opaque(); // membership_tag
  return {
    kind: "public",
    groupId,
    epoch,
    sender,
    content,
    signedBytes,
    signature,
    confirmationTag,
    authenticatedBytes,
    transcriptBytes,
    bytes: reader.since(start),
  };
}

function readSender(reader: TlsReader): Sender {
  switch (reader.uint8()) {
    case 1:
      return { type: "member", leafIndex: reader.uint32() };
    case 2:
      reader.uint32(); // sender_index
      return { type: "external" };
    case 3:
      return { type: "new-member-proposal" };
    case 4:
      return { type: "new-member-commit" };
    default:
      throw new MalformedStructureError("a sender of an unknown type");
  }
}

const contentTypes = { application: 1, proposal: 2, commit: 3 };

function readContent(reader: TlsReader): Content {
  switch (reader.uint8()) {
    case contentTypes.application:
      reader.skipOpaque();
      return { type: "application" };
    case contentTypes.proposal: {
      const start = reader.position;
      const proposal = readProposal(reader);
      return { type: "proposal", proposal, bytes: reader.since(start) };
    }
    case contentTypes.commit:
      return { type: "commit", commit: readCommit(reader) };
    default:
      throw new MalformedStructureError("a content of an unknown type");
  }
}

/** Far more than in a commit that replaces all devices of the largest groups. */
const mostProposals = 20_000;

function readCommit(reader: TlsReader): Commit {
  const proposals = reader.vector((item) => {
    switch (item.uint8()) {
      case 1:
        return { proposal: readProposal(item) };
      case 2:
        return { reference: item.opaque() };
      default:
        throw new MalformedStructureError("neither a proposal nor a reference");
    }
  }, mostProposals);
  return { proposals, pathLeaf: reader.optional(readUpdatePath) };
}

/** `UpdatePath` (RFC 9420 §7.6), whose nodes only concern clients. */
function readUpdatePath(reader: TlsReader): LeafNode {
  const leafNode = readLeafNode(reader);
  reader.skipVector((node) => {
    node.skipOpaque(); // encryption_key
    node.skipVector(skipCiphertext);
  });
  return leafNode;
}

/** `HPKECiphertext` */
function skipCiphertext(reader: TlsReader): void {
  reader.skipOpaque(); // kem_output
  reader.skipOpaque(); // ciphertext
}

function readPrivateMessage(reader: TlsReader) {
  const groupId = reader.opaque();
  const epoch = reader.uint64();
  const contentType = reader.uint8();
  if (!Object.values(contentTypes).includes(contentType))
    throw new MalformedStructureError("a content of an unknown type");
  reader.skipOpaque(); // authenticated_data
  reader.skipOpaque(); // encrypted_sender_data
  reader.skipOpaque(); // ciphertext
  return { groupId, epoch, isApplication: contentType === contentTypes.application };
}

/** `Welcome` (RFC 9420 §12.4.3.1). @returns the number of its cipher suite */
function readWelcome(reader: TlsReader): number {
  const suite = reader.uint16();
  reader.skipVector((secrets) => {
    secrets.skipOpaque(); // new_member
    skipCiphertext(secrets);
  });
  reader.skipOpaque(); // encrypted_group_info
  return suite;
}
