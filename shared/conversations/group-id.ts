import { parse, stringify } from "uuid";
import { type ConversationType, conversationType, typeNumbers } from "./conversation.ts";

const layoutVersion = 1;

/**
 * Creates the id of an MLS group, from which its conversation can be read back: version and type as 16-bit integers,
 * the conversation's id, the length of the subconversation's id and that id, the generation as a 32-bit integer, and
 * the domain.
 */
export function newGroupId({
  conversationId,
  subconversationId = "",
  type,
  domain,
  generation = 0,
}: {
  conversationId: string;
  /** Absent: the group is that of the conversation itself. */
  subconversationId?: string;
  type: ConversationType;
  domain: string;
  /** Increases when the group is reset. */
  generation?: number;
}): string {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(layoutVersion, 0);
  head.writeUInt16BE(typeNumbers[type], 2);
  const name = Buffer.from(subconversationId, "ascii");
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(generation);
  const parts = [head, parse(conversationId), Buffer.from([name.length]), name, tail, Buffer.from(domain)];
  return Buffer.concat(parts).toString("base64");
}

/** The content of a group id. */
export interface GroupReference {
  readonly conversationId: string;
  readonly subconversationId?: string;
  readonly type: ConversationType;
  readonly generation: number;
  readonly domain: string;
}

/** Length of the part before the id of the subconversation. */
const headBytes = 2 + 2 + 16 + 1;
const generationBytes = 4;

/** Ids of subconversations are printable ASCII. */
const printable = /^[ -~]*$/;

/** Reads the id of a group; undefined when it is not one. */
export function parseGroupId(bytes: Buffer): GroupReference | undefined {
  if (bytes.length <= headBytes + generationBytes || bytes.readUInt16BE(0) !== layoutVersion)
    return undefined;
  const type = conversationType.options.find((name) => typeNumbers[name] === bytes.readUInt16BE(2));
  const nameEnd = headBytes + bytes.readUInt8(headBytes - 1);
  if (type === undefined || bytes.length <= nameEnd + generationBytes) return undefined;
  const name = bytes.toString("latin1", headBytes, nameEnd);
  if (!printable.test(name)) return undefined;
  try {
    return {
      conversationId: stringify(bytes, 4),
      ...(name !== "" && { subconversationId: name }),
      type,
      generation: bytes.readUInt32BE(nameEnd),
      domain: bytes.toString("utf8", nameEnd + generationBytes),
    };
  } catch {
    // Not the bytes of a UUID.
    return undefined;
  }
}

/**
 * The id of a group that replaces another one.
 * @param distance by how much the generation increases
 */
export function successorOf(groupId: string, distance = 1): string {
  const reference = parseGroupId(Buffer.from(groupId, "base64"));
  if (reference === undefined) throw new Error(`Not the id of a group: ${groupId}`);
  return newGroupId({ ...reference, generation: reference.generation + distance });
}
