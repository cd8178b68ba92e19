import type { KeyObject } from "node:crypto";
import type { SignatureScheme } from "./cipher-suites.ts";
import { signWithLabel } from "./signature-key.ts";
import { encodeOpaque } from "./tls-reader.ts";

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
