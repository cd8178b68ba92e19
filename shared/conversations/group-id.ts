import { parse, stringify } from "uuid";
import { type ConversationType, conversationType, typeNumbers } from "./conversation.ts";

const layoutVersion = 1;

/**
 * Creates the id of a conversation's MLS group, from which the conversation can be read back (spec heading MLS group
 * id): version and type as 16-bit integers, the conversation's id, the length of the subconversation's id (none here),
 * the generation as a 32-bit integer, and the domain.
 */
export function newGroupId({
  conversationId,
  type,
  domain,
  generation = 0,
}: {
  conversationId: string;
  type: ConversationType;
  domain: string;
  /** Increases when the group is reset. */
  generation?: number;
}): string {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(layoutVersion, 0);
  head.writeUInt16BE(typeNumbers[type], 2);
  const tail = Buffer.alloc(5);
  tail.writeUInt32BE(generation, 1);
  return Buffer.concat([head, parse(conversationId), tail, Buffer.from(domain)]).toString("base64");
}

/** What the id of a group says. */
export interface GroupReference {
  readonly conversationId: string;
  readonly type: ConversationType;
  readonly generation: number;
  readonly domain: string;
}

const headBytes = 2 + 2 + 16 + 1 + 4;

/** Reads the id of a conversation's group; undefined when it is not one. */
export function parseGroupId(bytes: Buffer): GroupReference | undefined {
  if (bytes.length <= headBytes || bytes.readUInt16BE(0) !== layoutVersion || bytes.readUInt8(20) !== 0)
    return undefined;
  const type = conversationType.options.find((name) => typeNumbers[name] === bytes.readUInt16BE(2));
  if (type === undefined) return undefined;
  try {
    return {
      conversationId: stringify(bytes, 4),
      type,
      generation: bytes.readUInt32BE(21),
      domain: bytes.toString("utf8", headBytes),
    };
  } catch {
    // Not the bytes of a UUID.
    return undefined;
  }
}
