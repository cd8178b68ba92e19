import { parse } from "uuid";
import { type ConversationType, typeNumbers } from "./conversation.ts";

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
